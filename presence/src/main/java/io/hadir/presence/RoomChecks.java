package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Compares this node's rooms with Redis: are the presences of its sockets alive, and has it heard of every change?
 *
 * <p>Only a bounded number of seats is under way at a time. Clients and the lease use the same connection, so they wait
 * for a few of these checks at most, however many rooms there are. Lives on the loop.
 */
final class RoomChecks {
    private static final int SEATS_PER_STEP = 200;

    /** In seats; a step costs as much as this many seats by itself. */
    private static final int MOST_UNDER_WAY = 400;

    private static final int STEP_COST = 10;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final RoomStore store;
    private final LocalRooms rooms;
    private final Memberships memberships;
    private final Loop loop;
    private final Map<LocalRoom, CompletableFuture<Void>> waiting = new LinkedHashMap<>();
    private final List<LocalRoom> failed = new ArrayList<>();
    private int underWay;

    RoomChecks(RoomStore store, LocalRooms rooms, Memberships memberships, Loop loop) {
        this.store = store;
        this.rooms = rooms;
        this.memberships = memberships;
        this.loop = loop;
    }

    /** Checks a room after those that wait already; fails if Redis does not answer. */
    CompletionStage<Void> check(LocalRoom room) {
        CompletableFuture<Void> done = waiting.computeIfAbsent(room, added -> new CompletableFuture<>());
        startWaiting();
        return done.copy();
    }

    /** Checks a room until Redis answers. */
    void checkUntilAnswered(LocalRoom room) {
        check(room).whenComplete((done, failure) -> {
            if (failure != null) {
                retryLater(room);
            }
        });
    }

    private void retryLater(LocalRoom room) {
        failed.add(room);
        if (failed.size() == 1) {
            loop.after(RETRY, () -> {
                List<LocalRoom> again = List.copyOf(failed);
                failed.clear();
                again.stream().filter(rooms::isCurrent).forEach(this::checkUntilAnswered);
            });
        }
    }

    private void startWaiting() {
        Iterator<Map.Entry<LocalRoom, CompletableFuture<Void>>> next =
                waiting.entrySet().iterator();
        while (underWay < MOST_UNDER_WAY && next.hasNext()) {
            Map.Entry<LocalRoom, CompletableFuture<Void>> entry = next.next();
            next.remove();
            start(entry.getKey(), entry.getValue());
        }
    }

    private void start(LocalRoom room, CompletableFuture<Void> done) {
        // Names may have been edited by hand, or changed while this node heard nothing.
        room.forgetRoster();
        List<Membership> joined = room.all().stream()
                .filter(membership -> membership.isAccepted() && !membership.socket.queue.isBusy())
                .toList();
        checkFrom(room, joined, 0).whenComplete(Stages.into(done));
    }

    private CompletionStage<Void> checkFrom(LocalRoom room, List<Membership> joined, int from) {
        int to = Math.min(from + SEATS_PER_STEP, joined.size());
        List<Membership> step = joined.subList(from, to);
        List<RoomStore.Claim> claims = step.stream().map(Membership::asClaim).toList();
        long heard = room.coalescer.heard();
        int cost = step.size() + STEP_COST;
        underWay += cost;
        return store.check(room.id, claims)
                .handleAsync(
                        (checked, failure) -> {
                            underWay -= cost;
                            CompletionStage<Void> rest;
                            if (failure != null) {
                                rest = CompletableFuture.failedStage(failure);
                            } else {
                                List<CompletionStage<Void>> acted = conclude(room, step, claims, checked);
                                acted.add(
                                        to < joined.size()
                                                ? checkFrom(room, joined, to)
                                                : rooms.compare(room, heard, checked.revision()));
                                rest = Stages.all(acted);
                            }
                            startWaiting();
                            return rest;
                        },
                        loop)
                .thenCompose(rest -> rest);
    }

    private List<CompletionStage<Void>> conclude(
            LocalRoom room, List<Membership> step, List<RoomStore.Claim> claims, RoomStore.Checked checked) {
        room.rules = checked.rules();
        rooms.expireGracesAfter(room, checked.nextExpiry());
        List<CompletionStage<Void>> acted = new ArrayList<>();
        for (int i = 0; i < step.size(); i++) {
            Membership membership = step.get(i);
            // If the socket has taken another step since, the answer is outdated.
            if (!memberships.isCurrent(membership)
                    || !membership.holder().equals(claims.get(i).holder())) {
                continue;
            }
            if (checked.alive().get(i)) {
                membership.seenAlive(checked.revision());
            } else {
                acted.add(memberships.expireSoon(membership));
            }
        }
        return acted;
    }
}
