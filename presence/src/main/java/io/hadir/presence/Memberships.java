package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * This node's sockets and their memberships, and how memberships end against a client's will: the client gets a
 * force-leave message, and its socket is disconnected if it is in no other room and is put back into none. Lives on the
 * loop.
 */
final class Memberships {
    /** How much later than the removal itself its reason may arrive. */
    private static final Duration REASON_DELAY = Duration.ofMillis(50);

    private final Map<SocketId, LocalSocket> sockets = new HashMap<>();
    private final LocalRooms rooms;
    private final RoomStore store;
    private final Clients clients;
    private final Loop loop;
    private final InstantSource clock;
    private final PresenceSettings settings;
    private final UserListener users;

    Memberships(
            RoomStore store,
            LocalRooms rooms,
            Clients clients,
            Loop loop,
            InstantSource clock,
            PresenceSettings settings,
            UserListener users) {
        this.store = store;
        this.rooms = rooms;
        this.clients = clients;
        this.loop = loop;
        this.clock = clock;
        this.settings = settings;
        this.users = users;
    }

    void open(LocalSocket socket) {
        sockets.put(socket.id, socket);
    }

    void close(LocalSocket socket) {
        sockets.remove(socket.id);
    }

    @Nullable
    LocalSocket socket(SocketId id) {
        return sockets.get(id);
    }

    List<LocalSocket> sockets() {
        return List.copyOf(sockets.values());
    }

    /** Adds a membership; completes when the node will hear every later change in the room. */
    CompletionStage<Void> add(Membership membership) {
        membership.socket.memberships.put(membership.seat, membership);
        return rooms.add(membership);
    }

    /** From now on the client hears the room, of which it knows the changes up to this revision. */
    void enter(Membership membership, long revision) {
        clients.enter(membership.socket.id, membership.seat.room(), revision);
    }

    /** Ends a membership; completes when the socket no longer focuses the room. */
    CompletionStage<Void> end(Membership membership) {
        membership.socket.memberships.remove(membership.seat, membership);
        clients.exit(membership.socket.id, membership.seat.room());
        rooms.remove(membership);
        return membership.isJoined()
                ? users.left(membership.socket.id, membership.seat)
                : CompletableFuture.completedFuture(null);
    }

    /** The rules of a room, as far as this node knows them. */
    RoomRules rules(RoomId id) {
        LocalRoom room = rooms.get(id);
        return room != null ? room.rules : new RoomRules(settings.ttl(), null);
    }

    /**
     * Redis answered that a presence is gone. Ends its membership after a moment, because the change that says why,
     * such as a kick, comes by another connection.
     */
    CompletionStage<Void> expireSoon(Membership membership) {
        Holder holder = membership.holder();
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.after(REASON_DELAY, () -> {
            // If the socket has left or joined again since, the answer is outdated.
            if (membership.isCurrent() && membership.holder().equals(holder)) {
                expire(membership);
            }
            done.complete(null);
        });
        return done;
    }

    private void expire(Membership membership) {
        RoomRules rules = rules(membership.seat.room());
        RemovalReason reason = membership.expiryReason(loop.nanos(), rules.ttl());
        forceLeave(membership, reason, null);
        store.announceExpired(membership.seat.room(), List.of(membership.seat.user()), reason);
    }

    /** A user has left a room. */
    void left(LocalRoom room, RoomChange.Left change) {
        for (Membership membership : room.of(change.user())) {
            membership.hear(change);
            endIfOver(membership);
        }
    }

    /** Ends a membership whose user has left since its socket joined, and tells the client; false if they have not. */
    boolean endIfOver(Membership membership) {
        RoomChange.Left change = membership.over();
        if (change == null) {
            return false;
        }
        switch (change.reason()) {
            case LEFT -> {
                end(membership);
                sendLeft(membership.socket, membership.seat.room());
            }
            case KICKED -> forceLeave(membership, RemovalReason.KICKED, change.message());
            default -> {
                // The client hears why its own socket did not keep the presence alive. The recorded reason may be
                // another one, such as server_gone.
                Duration ttl = rules(membership.seat.room()).ttl();
                forceLeave(membership, membership.expiryReason(loop.nanos(), ttl), null);
            }
        }
        return true;
    }

    /**
     * Ends these memberships of a socket as kicked.
     *
     * @param message null for the standard text
     */
    List<Membership> kick(Collection<Membership> kicked, @Nullable String message) {
        List<Membership> ended = List.copyOf(kicked);
        ended.forEach(membership -> forceLeave(membership, RemovalReason.KICKED, message));
        return ended;
    }

    /**
     * Kicks a socket from all its rooms, and tells its client the same of those that it was in before it moved here.
     *
     * @param message null for the standard text
     */
    List<Membership> kickAll(LocalSocket socket, @Nullable String message) {
        List<Membership> ended = kick(socket.memberships.values(), message);
        socket.awaited.stream()
                .filter(socket::awaits)
                .forEach(room -> sendForceLeave(socket, room, RemovalReason.KICKED, message, rules(room)));
        socket.awaited.clear();
        return ended;
    }

    /** The user of a socket that moved here was removed while it was on its way; its membership has ended. */
    void removedMeanwhile(Membership membership, JoinOutcome.Removed removed) {
        RoomId room = membership.seat.room();
        if (removed.reason() == RemovalReason.LEFT) {
            sendLeft(membership.socket, room);
        } else {
            refuseMoved(membership.socket, room, removed.reason(), removed.message());
        }
    }

    /** Tells the client of a socket that moved here that it is no longer in a room. */
    void refuseMoved(LocalSocket socket, RoomId room, RemovalReason reason, @Nullable String message) {
        clients.exit(socket.id, room);
        sendForceLeave(socket, room, reason, message, rules(room));
        disconnectLaterIfInNoRoom(socket);
    }

    private void sendLeft(LocalSocket socket, RoomId room) {
        socket.recordAbsence(room);
        clients.send(socket.id, new SocketMessage.LeftElsewhere(room));
    }

    /**
     * Ends a membership against the client's will, and tells the client unless it never asked for the room.
     *
     * @param message the backend's text, null if it gave none
     */
    private void forceLeave(Membership membership, RemovalReason reason, @Nullable String message) {
        LocalSocket socket = membership.socket;
        // Before the end, with which this node may forget the room and its rules.
        RoomRules rules = rules(membership.seat.room());
        end(membership);
        if (!membership.isConfirmed() && reason != RemovalReason.KICKED) {
            return;
        }
        String own = reason == RemovalReason.INACTIVITY_TIMEOUT ? rules.inactivityMessage() : message;
        sendForceLeave(socket, membership.seat.room(), reason, own, rules);
        if (socket.awaitsRooms()) {
            disconnectLaterIfInNoRoom(socket);
        } else {
            disconnectIfInNoRoom(socket);
        }
    }

    /** After the other rooms that the socket was in before it moved here. */
    private void disconnectLaterIfInNoRoom(LocalSocket socket) {
        socket.queue.run(() -> {
            disconnectIfInNoRoom(socket);
            return CompletableFuture.completedFuture(null);
        });
    }

    private void disconnectIfInNoRoom(LocalSocket socket) {
        if (socket.memberships.isEmpty() && !socket.awaitsRooms()) {
            // Later, because the client may wait for an answer.
            loop.execute(() -> clients.removed(socket.id));
        }
    }

    /** Tells a client that it is back in a room for which it did not ask. */
    void sendRestored(JoinedRoom restored) {
        clients.send(restored.socket(), new SocketMessage.Restored(restored));
    }

    /** Tells a client that it is not in a room which it never joined. */
    void sendNotInRoom(LocalSocket socket, RoomId room) {
        sendForceLeave(socket, room, RemovalReason.PRESENCE_LOST, null, rules(room));
    }

    private void sendForceLeave(
            LocalSocket socket, RoomId room, RemovalReason reason, @Nullable String message, RoomRules rules) {
        socket.recordAbsence(room);
        clients.send(socket.id, new SocketMessage.ForceLeave(room, reason, message, rules.ttl(), clock.instant()));
    }
}
