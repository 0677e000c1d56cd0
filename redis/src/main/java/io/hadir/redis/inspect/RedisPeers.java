package io.hadir.redis.inspect;

import io.hadir.presence.Peer;
import io.hadir.presence.Peer.Held;
import io.hadir.presence.inspect.Peers;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.store.Questions;
import io.hadir.redis.store.RedisRoomFeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends the questions of audits and their answers between nodes: {@code {from, id, sightings}}, with null sightings to
 * ask for lost seats, and {@code {id, held}} back.
 */
public final class RedisPeers implements Peers {
    private static final Logger LOG = LoggerFactory.getLogger(RedisPeers.class);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Duration UNKNOWN_TIMEOUT = Duration.ofSeconds(5);
    /** A node checks all its rooms for the answer. */
    private static final Duration LOST_TIMEOUT = Duration.ofSeconds(30);

    private final RedisLink link;
    private final String self;
    private final Map<Long, CompletableFuture<Set<Held>>> open = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private @Nullable Peer own;

    public RedisPeers(RedisLink link, RedisRoomFeed feed, String self) {
        this.link = link;
        this.self = self;
        feed.listen(RedisKeys.audits(self), this::hear);
    }

    @Override
    public void answerBy(Peer peer) {
        own = peer;
    }

    @Override
    public Peer of(String node) {
        return node.equals(self) ? Objects.requireNonNull(own) : new Remote(node);
    }

    private final class Remote implements Peer {
        private final String node;

        Remote(String node) {
            this.node = node;
        }

        @Override
        public CompletionStage<Set<Held>> unknown(List<Sighting> sightings) {
            return ask(node, Questions.write(sightings), UNKNOWN_TIMEOUT);
        }

        @Override
        public CompletionStage<Set<Held>> lost() {
            return ask(node, "null", LOST_TIMEOUT);
        }
    }

    private CompletionStage<Set<Held>> ask(String node, String sightings, Duration timeout) {
        long id = ids.incrementAndGet();
        CompletableFuture<Set<Held>> answer = new CompletableFuture<>();
        open.put(id, answer);
        String question = "{\"from\":\"" + self + "\",\"id\":" + id + ",\"sightings\":" + sightings + "}";
        link.write(RedisKeys.audits(node), redis -> redis.spublish(RedisKeys.audits(node), question))
                .whenComplete((heard, failed) -> {
                    if (failed != null) {
                        answer.completeExceptionally(failed);
                    }
                });
        return answer.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((said, failed) -> open.remove(id));
    }

    private void hear(String message) {
        try {
            JsonNode heard = JSON.readTree(message);
            long id = heard.path("id").asLong(0);
            String from = heard.path("from").asString("");
            if (from.isEmpty()) {
                CompletableFuture<Set<Held>> asked = open.get(id);
                if (asked != null) {
                    asked.complete(read(heard.path("held")));
                }
            } else if (own != null) {
                JsonNode sightings = heard.path("sightings");
                CompletionStage<Set<Held>> answer =
                        sightings.isArray() ? own.unknown(Questions.read(sightings.toString())) : own.lost();
                answer.thenAccept(held -> answer(from, id, held));
            }
        } catch (JacksonException | IllegalArgumentException malformed) {
            LOG.warn(
                    "ignored a malformed audit message from another node ({})",
                    malformed.getClass().getSimpleName());
        }
    }

    private void answer(String to, long id, Set<Held> held) {
        List<Map<String, Object>> written = new ArrayList<>();
        held.forEach(one -> written.add(Map.of(
                "roomId", one.seat().room().value(),
                "userId", one.seat().user().value(),
                "socketId", one.socket().value())));
        String text = JSON.writeValueAsString(Map.of("id", id, "held", written));
        link.write(RedisKeys.audits(to), redis -> redis.spublish(RedisKeys.audits(to), text));
    }

    private static Set<Held> read(JsonNode written) {
        Set<Held> held = new HashSet<>();
        for (JsonNode one : written) {
            Seat seat = new Seat(
                    new RoomId(one.path("roomId").asString("")),
                    new UserId(one.path("userId").asString("")));
            held.add(new Held(seat, new SocketId(one.path("socketId").asString(""))));
        }
        return held;
    }
}
