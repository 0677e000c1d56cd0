package io.hadir.presence.sweep;

import io.hadir.presence.LocalRoom;
import io.hadir.presence.Membership;
import io.hadir.presence.Presence;
import io.hadir.presence.Session;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Answers for this node's sockets when a presence names one of them. Lives on the loop. */
final class Owner {
    private final Presence presence;
    private final PresenceScan scan;
    private final String self;

    Owner(Presence presence, PresenceScan scan, String self) {
        this.presence = presence;
        this.scan = scan;
        this.self = self;
    }

    /** Takes sockets that are not there off their seats, and makes presences whole whose sockets are. */
    void answer(List<PresenceScan.Sighting> sightings) {
        Set<RoomId> incomplete = new HashSet<>();
        for (PresenceScan.Sighting sighting : sightings) {
            for (SocketId socket : sighting.sockets()) {
                if (socket.node().equals(self)) {
                    answer(sighting, socket, incomplete);
                }
            }
        }
        incomplete.forEach(this::check);
    }

    private void answer(PresenceScan.Sighting sighting, SocketId socket, Set<RoomId> incomplete) {
        Seat seat = sighting.seat();
        Session session = presence.memberships().session(socket);
        if (presence.departures().isWaiting(socket, seat) || (session != null && session.isBusy())) {
            // What is under way will put it right.
            return;
        }
        if (session == null) {
            scan.sweep(seat, LeaveReason.DISCONNECTED, Set.of(socket));
            return;
        }
        Membership membership = session.memberships.get(seat);
        if (membership != null) {
            if (!sighting.complete()) {
                incomplete.add(seat.room());
            }
        } else if (sighting.held() || !sighting.named().equals(socket) || session.knowsAbsence(seat.room())) {
            // A Hadir put the socket there, and it has left since, or its join was taken back.
            scan.sweep(seat, LeaveReason.LEFT, Set.of(socket));
        } else {
            presence.adopt(session, seat);
        }
    }

    private void check(RoomId id) {
        LocalRoom room = presence.rooms().get(id);
        if (room != null) {
            presence.check(room);
        }
    }
}
