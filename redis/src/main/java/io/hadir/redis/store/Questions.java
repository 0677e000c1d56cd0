package io.hadir.redis.store;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sightings as nodes send them to each other: {@code [{roomId, userId, named, sockets, complete}]}. The last two are
 * absent if there is no other socket and nothing is missing, as for almost all presences.
 */
public final class Questions {
    private static final Logger LOG = LoggerFactory.getLogger(Questions.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private Questions() {}

    public static String write(List<Sighting> sightings) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(text)) {
            out.writeStartArray();
            for (Sighting sighting : sightings) {
                out.writeStartObject();
                out.writeStringProperty("roomId", sighting.seat().room().value());
                out.writeStringProperty("userId", sighting.seat().user().value());
                out.writeStringProperty("named", sighting.named().value());
                if (sighting.sockets().size() > 1) {
                    out.writeArrayPropertyStart("sockets");
                    sighting.sockets().forEach(socket -> out.writeString(socket.value()));
                    out.writeEndArray();
                }
                if (!sighting.complete()) {
                    out.writeBooleanProperty("complete", false);
                }
                out.writeEndObject();
            }
            out.writeEndArray();
        }
        return text.toString();
    }

    public static List<Sighting> read(String text) {
        List<Sighting> sightings = new ArrayList<>();
        try {
            for (JsonNode node : JSON.readTree(text)) {
                SocketId named = new SocketId(node.path("named").asString(""));
                Set<SocketId> sockets = new HashSet<>(Set.of(named));
                node.path("sockets").forEach(socket -> sockets.add(new SocketId(socket.asString(""))));
                Seat seat = new Seat(
                        new RoomId(node.path("roomId").asString("")),
                        new UserId(node.path("userId").asString("")));
                boolean complete = node.path("complete").asBoolean(true);
                sightings.add(new Sighting(seat, named, sockets, complete));
            }
        } catch (JacksonException | IllegalArgumentException malformed) {
            LOG.warn(
                    "ignored a malformed question from another node ({})",
                    malformed.getClass().getSimpleName());
        }
        return sightings;
    }
}
