package io.hadir.server.events;

import io.hadir.presence.room.Beat;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.SocketMessage;
import io.hadir.server.auth.Token;
import io.hadir.server.wire.Fields;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.util.RawValue;

/** Everything that presence says to clients, field by field as the protocol has it. Times in epoch milliseconds. */
final class PresenceMessages {
    private final PresenceSettings settings;

    PresenceMessages(PresenceSettings settings) {
        this.settings = settings;
    }

    Map<String, Object> joined(JoinedRoom joined) {
        Map<String, Object> message = accepted(joined.seat().room());
        message.put("userId", joined.seat().user().value());
        message.put("socketId", joined.socket().value());
        Fields.addListing(message, joined.listing());
        message.put("ttlSeconds", joined.ttl().toSeconds());
        addHeartbeat(message, joined.ttl());
        message.put("graceSeconds", settings.grace().toSeconds());
        return message;
    }

    Map<String, Object> restored(JoinedRoom joined) {
        Map<String, Object> message = joined(joined);
        message.put("restored", true);
        return message;
    }

    Map<String, Object> heartbeat(Beat beat) {
        Map<String, Object> message = accepted(beat.room());
        message.put("expiresAt", beat.expiresAt().toEpochMilli());
        message.put("serverTime", beat.serverTime().toEpochMilli());
        addHeartbeat(message, beat.ttl());
        return message;
    }

    private void addHeartbeat(Map<String, Object> message, Duration ttl) {
        message.put(
                "heartbeatSeconds", Math.max(1, settings.heartbeatWithin(ttl).toSeconds()));
    }

    Map<String, Object> left(RoomId room) {
        return accepted(room);
    }

    Map<String, Object> listing(Listing listing) {
        Map<String, Object> message = accepted(listing.room());
        Fields.addListing(message, listing);
        return message;
    }

    static Map<String, Object> refreshed(Token token) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("ok", true);
        message.put("expiresAt", token.expiresAt().toEpochMilli());
        return message;
    }

    static Map<String, Object> forceLeave(SocketMessage.ForceLeave told) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", told.room().value());
        message.put("reason", told.reason().wire());
        message.put("message", told.message());
        message.put("timestamp", told.at().toEpochMilli());
        return message;
    }

    static Map<String, Object> news(RoomNews news) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", news.room().value());
        message.put("fromRevision", news.fromRevision());
        message.put("revision", news.revision());
        message.put("joined", Fields.participants(news.joined()));
        message.put(
                "left", news.left().stream().map(PresenceMessages::departure).toList());
        message.put("updated", Fields.participants(news.updated()));
        message.put("viewerCount", news.viewerCount());
        if (news.truncated()) {
            message.put("truncated", true);
        }
        return message;
    }

    static Map<String, Object> focused(RoomId room) {
        Map<String, Object> message = accepted(room);
        message.put("unread", 0);
        return message;
    }

    static Map<String, Object> blurred(RoomId room) {
        return accepted(room);
    }

    static Map<String, Object> unread(Map<RoomId, Long> counters) {
        Map<String, Object> message = new LinkedHashMap<>();
        Map<String, Long> unread = new LinkedHashMap<>();
        counters.forEach((room, count) -> unread.put(room.value(), count));
        message.put("ok", true);
        message.put("unread", unread);
        return message;
    }

    static Map<String, Object> unread(SocketMessage.Unread told) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", told.room().value());
        message.put("unread", told.unread());
        return message;
    }

    static Map<String, Object> notification(SocketMessage.Notification told) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", told.room().value());
        message.put("senderId", told.sender().value());
        message.put("unread", told.unread());
        if (told.data() != null) {
            message.put("data", new RawValue(told.data()));
        }
        return message;
    }

    private static Map<String, Object> accepted(RoomId room) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("ok", true);
        message.put("roomId", room.value());
        return message;
    }

    private static Map<String, String> departure(RoomChange.Left left) {
        Map<String, String> message = new LinkedHashMap<>();
        message.put("userId", left.user().value());
        message.put("reason", left.reason().wire());
        return message;
    }
}
