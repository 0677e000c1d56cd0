package io.hadir.torture;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Reads Redis directly, past all servers and their links, and does to it what an operator can. Blocks. */
final class RedisProbe implements AutoCloseable {
    /** Reads all presences, revisions and online users at one moment. */
    private static final String SNAPSHOT = """
            #!lua flags=no-writes
            local seen = {}
            for _, key in ipairs(redis.call('KEYS', 'room:presence:*')) do
              seen[#seen + 1] = key
              seen[#seen + 1] = tostring(redis.call('PTTL', key))
            end
            for _, key in ipairs(redis.call('KEYS', 'hadir:room:*:revision')) do
              seen[#seen + 1] = key
              seen[#seen + 1] = redis.call('GET', key) or '0'
            end
            for _, key in ipairs(redis.call('KEYS', 'user:*:online')) do
              seen[#seen + 1] = key
              seen[#seen + 1] = tostring(redis.call('PTTL', key))
            end
            return seen
            """;

    private static final String PRESENCE = "room:presence:";
    private static final String USER = "user:";
    private static final String ONLINE = ":online";
    private static final String ROOM = "hadir:room:";
    private static final String REVISION = ":revision";
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final Duration RETRY = Duration.ofMillis(100);
    private static final int TRIES = 100;

    private final ClientResources resources = ClientResources.builder()
            .reconnectDelay(Delay.constant(RETRY))
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    /**
     * The state of Redis at one moment.
     *
     * @param users the users of each room
     * @param withoutTtl keys that have no TTL
     */
    record Snapshot(
            Map<String, Set<String>> users, Map<String, Long> revisions, Set<String> online, List<String> withoutTtl) {}

    RedisProbe(int port) {
        client = RedisClient.create(
                resources,
                RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(port)
                        .withTimeout(TIMEOUT)
                        .build());
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        connection = client.connect();
    }

    /** Waits until Redis answers, but not forever. */
    void awaitRedis() throws InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            try {
                connection.sync().ping();
                return;
            } catch (RedisException notYet) {
                TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
            }
        }
    }

    Snapshot snapshot() throws RedisException {
        List<String> seen =
                connection.sync().evalReadOnly(SNAPSHOT, ScriptOutputType.MULTI, new String[0], new String[0]);
        Map<String, Set<String>> users = new HashMap<>();
        Map<String, Long> revisions = new HashMap<>();
        Set<String> online = new HashSet<>();
        Set<String> withoutTtl = new HashSet<>();
        for (int i = 0; i < seen.size(); i += 2) {
            String key = seen.get(i);
            String value = seen.get(i + 1);
            if (key.startsWith(PRESENCE)) {
                int colon = key.indexOf(':', PRESENCE.length());
                users.computeIfAbsent(key.substring(PRESENCE.length(), colon), room -> new HashSet<>())
                        .add(key.substring(colon + 1));
            } else if (key.endsWith(ONLINE)) {
                online.add(key.substring(USER.length(), key.length() - ONLINE.length()));
            } else {
                revisions.put(key.substring(ROOM.length(), key.length() - REVISION.length()), Long.parseLong(value));
            }
            if (value.equals("-1")) {
                withoutTtl.add(key);
            }
        }
        return new Snapshot(users, revisions, online, List.copyOf(withoutTtl));
    }

    void flush() {
        connection.sync().flushall();
    }

    void killClients() {
        connection.sync().clientKill(KillArgs.Builder.typePubsub());
        connection.sync().clientKill(KillArgs.Builder.typeNormal().skipme());
    }

    void pauseWrites(Duration time) {
        connection
                .sync()
                .dispatch(
                        CommandType.CLIENT,
                        new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8)
                                .add("PAUSE")
                                .add(time.toMillis())
                                .add("WRITE"));
    }

    void delete(Seat seat) {
        connection.sync().del(PRESENCE + seat.room + ":" + seat.user);
    }

    boolean exists(Seat seat) {
        return connection.sync().exists(PRESENCE + seat.room + ":" + seat.user) == 1;
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, TIMEOUT);
        resources.shutdown();
    }
}
