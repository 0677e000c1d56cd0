package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.SocketMessage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Warns a silent socket when only a twelfth of its presence's TTL is left, once for each silence. One timer per room
 * serves all its sockets. Lives on the loop.
 */
final class Silences {
    private static final int PARTS = 12;

    /** Redis counts a TTL from when the heartbeat arrived. */
    private static final Duration MARGIN = Duration.ofMillis(200);

    /** The shortest time from one look to the next; also how soon to look again if Redis did not answer. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final SeatStore seats;
    private final LocalRooms rooms;
    private final Clients clients;
    private final Loop loop;
    private final InstantSource clock;

    Silences(SeatStore seats, LocalRooms rooms, Clients clients, Loop loop, InstantSource clock) {
        this.seats = seats;
        this.rooms = rooms;
        this.clients = clients;
        this.loop = loop;
        this.clock = clock;
    }

    /** Looks out for silent sockets in a room from now on; does nothing if it already does so for the same TTL. */
    void watch(LocalRoom room) {
        Duration ttl = room.rules.ttl();
        if (!ttl.equals(room.silenceTtl)) {
            room.silenceTtl = ttl;
            lookAfter(room, silence(ttl));
        }
    }

    private static Duration silence(Duration ttl) {
        return ttl.minus(ttl.dividedBy(PARTS)).plus(MARGIN);
    }

    private void lookAfter(LocalRoom room, Duration time) {
        room.lookAfter(time.compareTo(RETRY) > 0 ? time : RETRY, loop, () -> look(room));
    }

    private void look(LocalRoom room) {
        Duration silence = silence(room.rules.ttl());
        long now = loop.nanos();
        long next = now + silence.toNanos();
        for (Membership membership : room.all()) {
            if (membership.isAccepted() && !membership.isWarned()) {
                long at = membership.lookAt(silence);
                if (at - now <= 0) {
                    look(room, membership);
                    at = now + RETRY.toNanos();
                }
                next = at - next < 0 ? at : next;
            }
        }
        lookAfter(room, Duration.ofNanos(next - now));
    }

    /** Another socket of the user may have kept the presence alive, so only the store knows. */
    private void look(LocalRoom room, Membership membership) {
        long asked = loop.nanos();
        long silent = membership.lookAt(Duration.ZERO);
        seats.remaining(membership.seat)
                .thenAcceptAsync(remaining -> conclude(room, membership, silent, asked, remaining), loop);
    }

    private void conclude(
            LocalRoom room, Membership membership, long silent, long asked, Optional<Duration> remaining) {
        boolean outdated = membership.lookAt(Duration.ZERO) != silent;
        if (remaining.isEmpty() || outdated || !rooms.isCurrent(room) || !membership.isCurrent()) {
            return;
        }
        Duration spare = remaining.get().minus(room.rules.ttl().dividedBy(PARTS));
        if (spare.isNegative() || spare.isZero()) {
            membership.warn();
            clients.send(
                    membership.socket.id,
                    new SocketMessage.Expiring(
                            membership.seat.room(), clock.instant().plus(remaining.get())));
        } else {
            membership.lookAgainAt(asked + spare.toNanos());
        }
    }
}
