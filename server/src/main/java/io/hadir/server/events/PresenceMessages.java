package io.hadir.server.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import io.hadir.presence.Presence.Beat;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.SocketMessage;
import io.hadir.server.auth.Token;
import io.hadir.server.wire.Cursor;
import io.hadir.server.wire.ParticipantsJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every answer and message to clients. The components of a record are the fields of the protocol, in its order; times
 * are epoch milliseconds.
 */
final class PresenceMessages {
    private PresenceMessages() {}

    /** The answer to an event about one room. */
    record Accepted(boolean ok, String roomId) {
        static Accepted of(RoomId room) {
            return new Accepted(true, room.value());
        }
    }

    record Joined(
            boolean ok,
            String roomId,
            String userId,
            String socketId,
            long viewerCount,
            ParticipantsJson participants,
            @Nullable String nextCursor,
            long revision,
            long ttlSeconds,
            long heartbeatSeconds,
            long graceSeconds,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean restored) {
        static Joined of(JoinedRoom joined, PresenceSettings settings, boolean restored) {
            return of(joined, ParticipantsJson.of(joined.listing().page().participants()), settings, restored);
        }

        /** @param participants those of the listing */
        static Joined of(
                JoinedRoom joined, ParticipantsJson participants, PresenceSettings settings, boolean restored) {
            Listing listing = joined.listing();
            return new Joined(
                    true,
                    joined.seat().room().value(),
                    joined.seat().user().value(),
                    joined.socket().value(),
                    listing.viewerCount(),
                    participants,
                    Cursor.write(listing.next()),
                    listing.page().revision(),
                    joined.ttl().toSeconds(),
                    heartbeatInterval(settings, joined.ttl()),
                    settings.grace().toSeconds(),
                    restored);
        }
    }

    record HeartbeatAnswer(boolean ok, String roomId, long expiresAt, long serverTime, long heartbeatSeconds) {
        static HeartbeatAnswer of(Beat beat, PresenceSettings settings) {
            return new HeartbeatAnswer(
                    true,
                    beat.room().value(),
                    beat.expiresAt().toEpochMilli(),
                    beat.serverTime().toEpochMilli(),
                    heartbeatInterval(settings, beat.ttl()));
        }
    }

    private static long heartbeatInterval(PresenceSettings settings, Duration ttl) {
        return Math.max(1, settings.heartbeatWithin(ttl).toSeconds());
    }

    record ListAnswer(
            boolean ok,
            String roomId,
            long viewerCount,
            ParticipantsJson participants,
            @Nullable String nextCursor,
            long revision) {
        static ListAnswer of(Listing listing) {
            return new ListAnswer(
                    true,
                    listing.room().value(),
                    listing.viewerCount(),
                    ParticipantsJson.of(listing.page().participants()),
                    Cursor.write(listing.next()),
                    listing.page().revision());
        }
    }

    /** The rooms of a paused socket. */
    record PausedRoom(String roomId, long awaySeconds) {}

    record Paused(boolean ok, List<PausedRoom> rooms) {
        static Paused of(Map<RoomId, Duration> away) {
            List<PausedRoom> rooms = new ArrayList<>();
            away.forEach((room, time) -> rooms.add(new PausedRoom(room.value(), time.toSeconds())));
            return new Paused(true, rooms);
        }
    }

    /** The rooms that the user of a resumed socket is still in. */
    record ResumedRoom(String roomId, long expiresAt) {}

    record Resumed(boolean ok, List<ResumedRoom> rooms) {
        static Resumed of(Map<RoomId, Duration> ttls, Instant now) {
            List<ResumedRoom> rooms = new ArrayList<>();
            ttls.forEach((room, ttl) ->
                    rooms.add(new ResumedRoom(room.value(), now.plus(ttl).toEpochMilli())));
            return new Resumed(true, rooms);
        }
    }

    record Focused(boolean ok, String roomId, int unread) {
        static Focused of(RoomId room) {
            return new Focused(true, room.value(), 0);
        }
    }

    record UnreadByRoom(boolean ok, Map<String, Long> unread) {
        static UnreadByRoom of(Map<RoomId, Long> counters) {
            return new UnreadByRoom(true, byRoom(counters));
        }
    }

    record Refreshed(boolean ok, long expiresAt) {
        static Refreshed of(Token token) {
            return new Refreshed(true, token.expiresAt().toEpochMilli());
        }
    }

    /** What changed in a room between two revisions. */
    record RoomPresence(
            String roomId,
            long fromRevision,
            long revision,
            ParticipantsJson joined,
            List<Departure> left,
            ParticipantsJson updated,
            long viewerCount,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean truncated) {
        static RoomPresence of(RoomNews news) {
            return new RoomPresence(
                    news.room().value(),
                    news.fromRevision(),
                    news.revision(),
                    ParticipantsJson.of(news.joined()),
                    news.left().stream().map(Departure::of).toList(),
                    ParticipantsJson.of(news.updated()),
                    news.viewerCount(),
                    news.truncated());
        }

        /** Tells a client the room's revision. A client at an earlier revision has missed a change, and lists. */
        static RoomPresence unchanged(JoinedRoom joined) {
            long revision = joined.listing().page().revision();
            return new RoomPresence(
                    joined.seat().room().value(),
                    revision,
                    revision,
                    ParticipantsJson.of(List.of()),
                    List.of(),
                    ParticipantsJson.of(List.of()),
                    joined.listing().viewerCount(),
                    false);
        }
    }

    record Departure(String userId, String reason) {
        static Departure of(RoomChange.Left left) {
            return new Departure(left.user().value(), left.reason().wire());
        }
    }

    record ForceLeave(String roomId, String reason, String message, long timestamp) {
        static ForceLeave of(SocketMessage.ForceLeave leave, String message) {
            return new ForceLeave(
                    leave.room().value(),
                    leave.reason().wire(),
                    message,
                    leave.at().toEpochMilli());
        }
    }

    /** The user left the room on another of their sockets. */
    record LeftElsewhere(String roomId) {
        static LeftElsewhere of(SocketMessage.LeftElsewhere left) {
            return new LeftElsewhere(left.room().value());
        }
    }

    /** The presence of a silent socket's user ends at this time. */
    record Expiring(String roomId, long expiresAt) {
        static Expiring of(SocketMessage.Expiring expiring) {
            return new Expiring(expiring.room().value(), expiring.at().toEpochMilli());
        }
    }

    /** @param lastSeen null if the user has never been seen */
    record Online(String userId, boolean online, @Nullable Long lastSeen) {
        static Online of(SocketMessage.Online status) {
            Instant seen = status.lastSeen();
            return new Online(status.user().value(), status.online(), seen == null ? null : (Long) seen.toEpochMilli());
        }
    }

    /** Which users are online. */
    record Statuses(
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean ok, List<Online> users) {
        static Statuses of(List<SocketMessage.Online> users) {
            return new Statuses(false, users.stream().map(Online::of).toList());
        }

        static Statuses answer(List<SocketMessage.Online> users) {
            return new Statuses(true, users.stream().map(Online::of).toList());
        }
    }

    /** How many participants rooms have. */
    record Counts(
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean ok, Map<String, Long> counts) {
        static Counts of(Map<RoomId, Long> counts) {
            return new Counts(false, byRoom(counts));
        }

        static Counts answer(Map<RoomId, Long> counts) {
            return new Counts(true, byRoom(counts));
        }
    }

    private static Map<String, Long> byRoom(Map<RoomId, Long> counts) {
        Map<String, Long> byRoom = new LinkedHashMap<>();
        counts.forEach((room, count) -> byRoom.put(room.value(), count));
        return byRoom;
    }

    record Unread(String roomId, long unread) {
        static Unread of(SocketMessage.Unread unread) {
            return new Unread(unread.room().value(), unread.unread());
        }
    }

    /** @param data the app's own JSON */
    record Notification(
            String roomId,
            String senderId,
            long unread,

            @JsonRawValue @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String data) {
        static Notification of(SocketMessage.Notification notification) {
            return new Notification(
                    notification.room().value(),
                    notification.sender().value(),
                    notification.unread(),
                    notification.data());
        }
    }
}
