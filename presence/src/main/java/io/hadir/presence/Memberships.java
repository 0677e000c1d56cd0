package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which local socket takes part in which room, and how that ends against a client's will: whoever is put out is told,
 * and disconnected if it is in no other room. Lives on the loop.
 */
public final class Memberships {
    private static final Duration WORD = Duration.ofMillis(50);

    private final Map<SocketId, Session> sessions = new HashMap<>();
    private final LocalRooms rooms;
    private final PresenceStore store;
    private final LocalSockets sockets;
    private final Loop loop;
    private final InstantSource clock;
    private final PresenceSettings settings;
    private final UserVisits visits;

    public Memberships(
            PresenceStore store,
            LocalRooms rooms,
            LocalSockets sockets,
            Loop loop,
            InstantSource clock,
            PresenceSettings settings,
            UserVisits visits) {
        this.store = store;
        this.rooms = rooms;
        this.sockets = sockets;
        this.loop = loop;
        this.clock = clock;
        this.settings = settings;
        this.visits = visits;
    }

    public void open(Session session) {
        sessions.put(session.id, session);
    }

    public void close(Session session) {
        sessions.remove(session.id);
    }

    @Nullable
    public Session session(SocketId id) {
        return sessions.get(id);
    }

    public List<Session> sessions() {
        return List.copyOf(sessions.values());
    }

    /** Adds a membership; completes when nothing that happens in the room from now on will be missed. */
    public CompletionStage<Void> add(Membership membership) {
        membership.session.memberships.put(membership.seat, membership);
        return rooms.add(membership);
    }

    public void end(Membership membership) {
        membership.session.memberships.remove(membership.seat, membership);
        sockets.exit(membership.session.id, membership.seat.room());
        rooms.remove(membership);
        if (membership.isJoined()) {
            visits.left(membership.session.id, membership.seat);
        }
    }

    /** Redis has said that the presence is gone which this membership stands for. */
    public void lose(Membership membership) {
        RoomRules rules = rules(membership.seat.room());
        LeaveReason reason = membership.lossReason(loop.nanos(), rules.ttl());
        evict(membership, reason, rules.message(reason, settings));
        store.prune(membership.seat.room(), Map.of(membership.seat.user(), Optional.of(reason)));
    }

    /** As {@link #lose}, a moment later: why the presence is gone, as with a kick, comes by another connection than that it is. */
    public CompletionStage<Void> loseUnlessTold(Membership membership) {
        Holder holder = membership.holder();
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.after(WORD, () -> {
            // A step that the socket has taken since makes the answer an old one.
            if (isCurrent(membership) && membership.holder().equals(holder)) {
                lose(membership);
            }
            done.complete(null);
        });
        return done;
    }

    /** Ends a membership against the client's will, and tells it, unless the room was never its client's wish. */
    public void evict(Membership membership, LeaveReason reason, String message) {
        Session session = membership.session;
        end(membership);
        if (!membership.isConfirmed() && reason != LeaveReason.KICKED) {
            return;
        }
        sendForceLeave(session, membership.seat.room(), reason, message);
        if (session.memberships.isEmpty()) {
            // After the answer to what the client asked, if it asked.
            loop.execute(() -> sockets.disconnect(session.id));
        }
    }

    /** Puts a socket out of the rooms that are not permitted to it any more; gives what it held there. */
    public List<Membership> restrict(Session session, Predicate<RoomId> permitted) {
        session.restrict(permitted);
        List<Membership> lost = session.memberships.values().stream()
                .filter(membership -> !session.permits(membership.seat.room()))
                .toList();
        for (Membership membership : lost) {
            RoomRules rules = rules(membership.seat.room());
            evict(membership, LeaveReason.KICKED, rules.message(LeaveReason.KICKED, settings));
        }
        return lost;
    }

    /**
     * Puts a socket out of all its rooms; gives what it held there.
     *
     * @param message what it is told, empty for the usual words
     */
    public List<Membership> expel(Session session, String message) {
        List<Membership> lost = List.copyOf(session.memberships.values());
        for (Membership membership : lost) {
            RoomRules rules = rules(membership.seat.room());
            evict(
                    membership,
                    LeaveReason.KICKED,
                    message.isEmpty() ? rules.message(LeaveReason.KICKED, settings) : message);
        }
        return lost;
    }

    public void sendForceLeave(Session session, RoomId room, LeaveReason reason, String message) {
        session.noteAbsence(room);
        sockets.send(session.id, new SocketMessage.ForceLeave(room, reason, message, clock.instant()));
    }

    /** What holds in a room, as far as this node knows. */
    public RoomRules rules(RoomId id) {
        LocalRoom room = rooms.get(id);
        return room != null ? room.rules : new RoomRules(settings.ttl(), null);
    }

    /** A user is out of a room. */
    public void left(LocalRoom room, RoomChange.Left change) {
        for (Membership membership : room.of(change.user())) {
            membership.hear(change);
            endIfOver(membership);
        }
    }

    /** Ends a membership whose user has left since its socket joined, and tells the client; true if that is so. */
    public boolean endIfOver(Membership membership) {
        RoomChange.Left change = membership.over();
        if (change == null) {
            return false;
        }
        RoomRules rules = rules(membership.seat.room());
        switch (change.reason()) {
            case LEFT -> {
                end(membership);
                membership.session.noteAbsence(membership.seat.room());
                sockets.send(membership.session.id, new SocketMessage.LeftElsewhere(membership.seat.room()));
            }
            case KICKED -> {
                String message = change.message();
                evict(
                        membership,
                        LeaveReason.KICKED,
                        message != null ? message : rules.message(LeaveReason.KICKED, settings));
            }
            default -> {
                LeaveReason reason = membership.lossReason(loop.nanos(), rules.ttl());
                evict(membership, reason, rules.message(reason, settings));
            }
        }
        return true;
    }

    public boolean isCurrent(Membership membership) {
        return membership.session.memberships.get(membership.seat) == membership;
    }
}
