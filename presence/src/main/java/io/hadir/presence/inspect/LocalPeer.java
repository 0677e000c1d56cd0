package io.hadir.presence.inspect;

import io.hadir.presence.LocalRoom;
import io.hadir.presence.Membership;
import io.hadir.presence.Presence;
import io.hadir.presence.PresenceStore;
import io.hadir.presence.Session;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.sweep.PresenceScan;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Answers for this node's own sockets. May be asked from any thread. */
public final class LocalPeer implements Peer {
    private static final int ROOMS_AT_ONCE = 20;
    private static final int USERS_AT_ONCE = 200;
    private static final int MOST_TOLD = 1000;

    private final Presence presence;
    private final PresenceStore store;
    private final String self;
    private final Loop loop;

    public LocalPeer(Presence presence, PresenceStore store, String self, Loop loop) {
        this.presence = presence;
        this.store = store;
        this.self = self;
        this.loop = loop;
    }

    @Override
    public CompletionStage<Set<Held>> unknown(List<PresenceScan.Sighting> sightings) {
        return CompletableFuture.supplyAsync(
                () -> {
                    Set<Held> unknown = new HashSet<>();
                    for (PresenceScan.Sighting sighting : sightings) {
                        for (SocketId socket : sighting.sockets()) {
                            if (socket.node().equals(self) && !isKnown(sighting.seat(), socket)) {
                                unknown.add(new Held(sighting.seat(), socket));
                            }
                        }
                    }
                    return unknown;
                },
                loop);
    }

    private boolean isKnown(Seat seat, SocketId socket) {
        Session session = presence.memberships().session(socket);
        return presence.departures().isWaiting(socket, seat)
                || (session != null && (session.isBusy() || session.memberships.containsKey(seat)));
    }

    @Override
    public CompletionStage<Set<Held>> lost() {
        Set<Held> lost = new HashSet<>();
        return CompletableFuture.supplyAsync(() -> presence.rooms().all(), loop)
                .thenComposeAsync(rooms -> Stages.inBatches(rooms, ROOMS_AT_ONCE, room -> look(room, lost)), loop)
                .thenApply(done -> lost);
    }

    private CompletionStage<Void> look(LocalRoom room, Set<Held> lost) {
        List<Membership> joined = room.all().stream()
                .filter(membership -> membership.isAccepted() && !membership.session.isBusy())
                .toList();
        List<UserId> users = joined.stream()
                .map(membership -> membership.seat.user())
                .distinct()
                .toList();
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (int i = 0; i < users.size(); i += USERS_AT_ONCE) {
            List<UserId> part = users.subList(i, Math.min(users.size(), i + USERS_AT_ONCE));
            all = all.thenCompose(done -> store.absent(room.id, part))
                    .thenAcceptAsync(absent -> note(joined, absent, lost), loop);
        }
        return all;
    }

    private static void note(List<Membership> joined, Set<UserId> absent, Set<Held> lost) {
        lost.addAll(joined.stream()
                .filter(membership -> absent.contains(membership.seat.user()))
                .map(membership -> new Held(membership.seat, membership.session.id))
                .limit(Math.max(0, MOST_TOLD - lost.size()))
                .collect(Collectors.toSet()));
    }
}
