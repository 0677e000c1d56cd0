package io.hadir.redis.store;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sightings as nodes send them to each other: {@code [{roomId, userId, named, sockets, held, complete}]}. */
public final class Questions {
    private static final Logger LOG = LoggerFactory.getLogger(Questions.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private Questions() {}

    public static String write(List<Sighting> sightings) {
        List<Map<String, Object>> written = new ArrayList<>();
        for (Sighting sighting : sightings) {
            written.add(Map.of(
                    "roomId", sighting.seat().room().value(),
                    "userId", sighting.seat().user().value(),
                    "named", sighting.named().value(),
                    "sockets", sighting.sockets().stream().map(SocketId::value).toList(),
                    "held", sighting.held(),
                    "complete", sighting.complete()));
        }
        return JSON.writeValueAsString(written);
    }

    public static List<Sighting> read(String text) {
        List<Sighting> sightings = new ArrayList<>();
        try {
            for (JsonNode node : JSON.readTree(text)) {
                Set<SocketId> sockets = new HashSet<>();
                node.path("sockets").forEach(socket -> sockets.add(new SocketId(socket.asString(""))));
                Seat seat = new Seat(
                        new RoomId(node.path("roomId").asString("")),
                        new UserId(node.path("userId").asString("")));
                SocketId named = new SocketId(node.path("named").asString(""));
                boolean held = node.path("held").asBoolean(false);
                sightings.add(new Sighting(
                        seat, named, sockets, held, node.path("complete").asBoolean(true)));
            }
        } catch (JacksonException | IllegalArgumentException malformed) {
            LOG.warn(
                    "ignored a malformed question from another node ({})",
                    malformed.getClass().getSimpleName());
        }
        return sightings;
    }
}
