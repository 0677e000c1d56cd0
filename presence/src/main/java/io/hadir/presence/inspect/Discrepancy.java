package io.hadir.presence.inspect;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import org.jspecify.annotations.Nullable;

/**
 * An inconsistency in Redis or between Redis and a node. Two inspections that find the same one return equal values; if
 * it was gone in between, they do not.
 *
 * @param room null if it is about a user
 * @param user null if it is about a room
 * @param socket null if it is not about a socket
 * @param mark tells a new inconsistency from an old one at the same place
 */
public record Discrepancy(
        Kind kind,
        @Nullable RoomId room,
        @Nullable UserId user,
        @Nullable SocketId socket,
        String mark) {
    /** The kind of an inconsistency, with its name on the wire and a sentence about it. */
    public enum Kind {
        KEY_WITHOUT_TTL("key_without_ttl", "the key does not expire"),
        KEY_WITHOUT_INDEX("key_without_index", "the key is alive, but the room's index does not have the user"),
        KEY_WITHOUT_DETAILS("key_without_details", "the key is alive, but its details are missing or not readable"),
        KEY_WITHOUT_LEASE("key_without_lease", "the key is kept for a socket of a server that has no lease"),
        KEY_WITHOUT_SOCKET("key_without_socket", "the key is kept for a socket that its server does not have there"),
        KEY_WITHOUT_SOCKET_ID("key_without_socket_id", "the key's value is not the id of a socket"),
        INDEX_WITHOUT_KEY("index_without_key", "the room's index has the user, but the key is gone"),
        DETAILS_WITHOUT_KEY("details_without_key", "there are details of the user, but the key is gone"),
        SOCKET_WITHOUT_KEY("socket_without_key", "a server has a socket of the user there, but the key is gone"),
        ROOM_WITHOUT_USERS("room_without_users", "the list of occupied rooms has the room, but nobody is in it"),
        ROOM_WITHOUT_ENTRY(
                "room_without_entry", "somebody is in the room, but the list of occupied rooms does not have it"),
        ROOM_UNSOUND("room_unsound", "one of the room's own keys has the wrong type or content"),
        ONLINE_WITHOUT_TTL("online_without_ttl", "the user's online key does not expire in time");

        private final String wire;
        private final String cause;

        Kind(String wire, String cause) {
            this.wire = wire;
            this.cause = cause;
        }

        public String wire() {
            return wire;
        }

        /** A sentence for people. */
        public String cause() {
            return cause;
        }
    }

    static Discrepancy of(Kind kind, RoomId room, String mark) {
        return new Discrepancy(kind, room, null, null, mark);
    }

    static Discrepancy of(UserId online) {
        return new Discrepancy(Kind.ONLINE_WITHOUT_TTL, null, online, null, "");
    }

    static Discrepancy of(Kind kind, SeatRecord record, @Nullable SocketId socket, String mark) {
        return new Discrepancy(kind, record.seat().room(), record.seat().user(), socket, mark);
    }

    @Nullable
    Seat seat() {
        return room == null || user == null ? null : new Seat(room, user);
    }
}
