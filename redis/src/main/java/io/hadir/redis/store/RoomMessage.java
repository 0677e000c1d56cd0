package io.hadir.redis.store;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.RoomFeed.ViewerCount;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The messages that the scripts publish about a room. Unknown ones, from newer nodes, are ignored. */
final class RoomMessage {
    private static final Logger LOG = LoggerFactory.getLogger(RoomMessage.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private RoomMessage() {}

    static void tell(RoomId room, String text, RoomFeed.Listener listener) {
        try {
            JsonNode message = JSON.readTree(text);
            long revision = message.path("revision").asLong(0);
            if (message.has("joined")) {
                RoomChange joined = new RoomChange.Joined(revision, participant(message, "joined"));
                listener.changed(room, joined, count(message));
            } else if (message.has("updated")) {
                RoomChange updated = new RoomChange.Updated(revision, participant(message, "updated"));
                listener.changed(room, updated, count(message));
            } else if (message.has("left")) {
                listener.changed(room, left(revision, message.get("left")), count(message));
            } else if (message.has("raised")) {
                listener.raised(room, revision);
            } else if (message.has("lapse")) {
                listener.lapsing(room, Duration.ofMillis(message.get("lapse").asLong()));
            } else if (message.has("repaired")) {
                if (message.get("repaired").isString()) {
                    LOG.warn("room {}: the revision was not a number and was restarted", room);
                }
                listener.resumed(room, true);
            } else if (message.has("settings")) {
                listener.rulesChanged(room, settings(message.get("settings")));
            }
        } catch (JacksonException | IllegalArgumentException malformed) {
            // The text may contain what a user typed, so it is not logged.
            LOG.warn(
                    "ignored a malformed message about a room ({})",
                    malformed.getClass().getSimpleName());
        }
    }

    private static @Nullable ViewerCount count(JsonNode message) {
        if (message.has("alive")) {
            return new ViewerCount(message.get("alive").asLong(), true);
        }
        return message.has("hinted") ? new ViewerCount(message.get("hinted").asLong(), false) : null;
    }

    private static RoomSettings settings(JsonNode node) {
        long ttl = node.path("ttlSeconds").asLong(0);
        long away = node.path("awaySeconds").asLong(0);
        int most = node.path("maxParticipants").asInt(0);
        return new RoomSettings(
                ttl > 0 ? Duration.ofSeconds(ttl) : null,
                away > 0 ? Duration.ofSeconds(away) : null,
                node.path("inactivityMessage").asString(null),
                most > 0 ? most : null);
    }

    private static Participant participant(JsonNode message, String change) {
        JsonNode node = message.get(change);
        JsonNode data = message.path("data");
        String user = node.path("userId").asString("");
        return new Participant(
                new UserId(user),
                node.path("username").asString(user),
                Instant.ofEpochMilli(node.path("joinedAt").asLong(0)),
                Instant.ofEpochMilli(node.path("lastActiveAt").asLong(0)),
                node.path("state").asString("").equals("away") ? Participant.State.AWAY : Participant.State.ACTIVE,
                data.isObject() ? data.toString() : null,
                null);
    }

    private static RoomChange.Left left(long revision, JsonNode node) {
        return new RoomChange.Left(
                revision,
                new UserId(node.path("userId").asString("")),
                RemovalReason.fromWire(node.path("reason").asString("")).orElse(RemovalReason.PRESENCE_LOST),
                node.hasNonNull("message") ? node.get("message").asString() : null);
    }
}
