package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Compares this node's rooms with Redis: are the presences of its sockets alive, and has it heard of every change?
 *
 * <p>A comparison reads, and that is all if everything is right. A check also repairs and renews what belongs to the
 * seats; it costs many times as much, so a room gets one only if something differs, or if its keys should be renewed.
 *
 * <p>Only a bounded number of seats is under way at a time. Clients and the lease use the same connection, so they wait
 * for a few of these checks at most, however many rooms there are. Lives on the loop.
 */
final class RoomChecks {
    private static final int SEATS_PER_STEP = 200;

    /** In seats. */
    private static final int MOST_UNDER_WAY = 400;

    /** What a step costs by itself, in seats. */
    private static final int STEP_COST = 10;

    private static final Duration RETRY = Duration.ofSeconds(1);

    /** Details and hints outlive a presence by an hour, so half of that is soon enough. */
    private static final Duration RENEWAL = Duration.ofMinutes(30);

    private final RoomStore store;
    private final LocalRooms rooms;
    private final Memberships memberships;
    private final Loop loop;
    private final Map<LocalRoom, CompletableFuture<Void>> waiting = new LinkedHashMap<>();
    private final Set<LocalRoom> failed = new LinkedHashSet<>();
    private final List<Comparison> comparisons = new ArrayList<>();
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

    /**
     * Compares rooms, and checks those that need it; completes with whether Redis answered for all of them.
     *
     * @param shared gets the seats that several sockets hold, of this node or others
     */
    CompletionStage<Boolean> compare(List<LocalRoom> all, Consumer<List<Sighting>> shared) {
        Comparison comparison = new Comparison(all.iterator(), shared);
        comparisons.add(comparison);
        startWaiting();
        return comparison.done;
    }

    private void retryLater(LocalRoom room) {
        if (failed.add(room) && failed.size() == 1) {
            loop.after(RETRY, () -> {
                List<LocalRoom> again = List.copyOf(failed);
                failed.clear();
                again.stream().filter(rooms::isCurrent).forEach(this::checkUntilAnswered);
            });
        }
    }

    private void startWaiting() {
        while (underWay < MOST_UNDER_WAY && !(waiting.isEmpty() && comparisons.isEmpty())) {
            if (waiting.isEmpty()) {
                Comparison comparison = comparisons.get(0);
                if (!comparison.takeStep()) {
                    comparisons.remove(comparison);
                }
            } else {
                LocalRoom first = waiting.keySet().iterator().next();
                start(first, Objects.requireNonNull(waiting.remove(first)));
            }
        }
    }

    // Comparisons

    /** Some of this node's seats in a room, as they were when the store was asked. */
    private record Slice(LocalRoom room, long heard, List<Membership> seats, List<RoomStore.Claim> claims) {}

    /** A comparison of many rooms, step by step. */
    private final class Comparison {
        private final CompletableFuture<Boolean> done = new CompletableFuture<>();
        private final Iterator<LocalRoom> left;
        private final Consumer<List<Sighting>> shared;
        private final List<Slice> ready = new ArrayList<>();
        private int open = 1;
        private boolean answered = true;

        Comparison(Iterator<LocalRoom> left, Consumer<List<Sighting>> shared) {
            this.left = left;
            this.shared = shared;
        }

        /** Asks about the next seats; false if there are none. */
        boolean takeStep() {
            List<Slice> step = new ArrayList<>();
            int cost = STEP_COST;
            while (cost < SEATS_PER_STEP && (!ready.isEmpty() || left.hasNext())) {
                if (ready.isEmpty()) {
                    prepare(left.next());
                } else {
                    Slice slice = ready.remove(ready.size() - 1);
                    cost += Math.max(1, slice.seats.size());
                    step.add(slice);
                }
            }
            if (step.isEmpty()) {
                close(true);
                return false;
            }
            send(step, cost);
            return true;
        }

        private void prepare(LocalRoom room) {
            if (!rooms.isCurrent(room)) {
                return;
            }
            if (isDue(room)) {
                thoroughly(room);
                return;
            }
            room.forgetRoster();
            List<Membership> settled = settled(room);
            for (int from = 0; from == 0 || from < settled.size(); from += SEATS_PER_STEP) {
                List<Membership> seats = settled.subList(from, Math.min(from + SEATS_PER_STEP, settled.size()));
                ready.add(new Slice(room, room.coalescer.heard(), seats, claims(seats)));
            }
        }

        private void send(List<Slice> step, int cost) {
            underWay += cost;
            open++;
            List<RoomStore.Claims> claims = step.stream()
                    .map(slice -> new RoomStore.Claims(slice.room.id, slice.claims))
                    .toList();
            List<CompletionStage<RoomStore.Compared>> answers = store.compare(claims);
            Stages.all(answers)
                    .whenCompleteAsync(
                            (all, failure) -> {
                                underWay -= cost;
                                for (int i = 0; i < step.size(); i++) {
                                    conclude(step.get(i), answers.get(i).toCompletableFuture());
                                }
                                close(true);
                                startWaiting();
                            },
                            loop);
        }

        private void conclude(Slice slice, CompletableFuture<RoomStore.Compared> answer) {
            LocalRoom room = slice.room;
            if (answer.isCompletedExceptionally()) {
                answered = false;
                return;
            }
            RoomStore.Compared compared = answer.join();
            shared.accept(compared.shared());
            if (!compared.right()) {
                thoroughly(room);
                return;
            }
            rooms.rule(room, compared.rules());
            rooms.expireLapsesAfter(room, compared.nextLapse());
            for (int i = 0; i < slice.seats.size(); i++) {
                if (isUnchanged(slice.seats.get(i), slice.claims.get(i))) {
                    slice.seats.get(i).seenAlive(compared.revision());
                }
            }
            follow(rooms.compare(room, slice.heard, compared.revision()));
        }

        private void thoroughly(LocalRoom room) {
            follow(waiting.computeIfAbsent(room, added -> new CompletableFuture<>()));
        }

        private void follow(CompletionStage<Void> step) {
            open++;
            step.whenCompleteAsync((done, failure) -> close(failure == null), loop);
        }

        private void close(boolean good) {
            answered &= good;
            if (--open == 0) {
                done.complete(answered);
            }
        }
    }

    /** Whether the room's keys should be renewed; rooms that were joined together are not renewed together. */
    private boolean isDue(LocalRoom room) {
        Long due = room.renewAt;
        if (due == null) {
            planRenewal(room);
        }
        return due != null && due - loop.nanos() <= 0;
    }

    private void planRenewal(LocalRoom room) {
        long latest = RENEWAL.toNanos();
        room.renewAt = loop.nanos() + ThreadLocalRandom.current().nextLong(latest / 2, latest);
    }

    private static List<Membership> settled(LocalRoom room) {
        return room.all().stream()
                .filter(membership -> membership.isAccepted() && !membership.socket.queue.isBusy())
                .toList();
    }

    private static List<RoomStore.Claim> claims(List<Membership> seats) {
        return seats.stream().map(Membership::asClaim).toList();
    }

    /** If the socket has left or joined again since it made the claim, the answer is outdated. */
    private boolean isUnchanged(Membership membership, RoomStore.Claim claim) {
        return membership.isCurrent() && membership.holder().equals(claim.holder());
    }

    // Checks

    private void start(LocalRoom room, CompletableFuture<Void> done) {
        // Names may have been edited by hand, or changed while this node heard nothing.
        room.forgetRoster();
        planRenewal(room);
        checkFrom(room, settled(room), 0).whenComplete(Stages.into(done));
    }

    private CompletionStage<Void> checkFrom(LocalRoom room, List<Membership> joined, int from) {
        int to = Math.min(from + SEATS_PER_STEP, joined.size());
        // Steps that were taken since the check began make a claim untrue.
        List<Membership> step = joined.subList(from, to).stream()
                .filter(membership -> membership.isCurrent() && !membership.socket.queue.isBusy())
                .toList();
        List<RoomStore.Claim> claims = claims(step);
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
        rooms.rule(room, checked.rules());
        rooms.expireLapsesAfter(room, checked.nextLapse());
        List<CompletionStage<Void>> acted = new ArrayList<>();
        for (int i = 0; i < step.size(); i++) {
            Membership membership = step.get(i);
            if (!isUnchanged(membership, claims.get(i))) {
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
