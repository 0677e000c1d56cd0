package io.hadir.embedded;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A Redis with two replicas and three sentinels, for demos and tests, on free loopback ports, empty and in memory. It
 * ends when it is closed or this process ends, however that happens.
 */
public final class EmbeddedSentinels implements AutoCloseable {
    /** The name of the primary for the sentinels. */
    public static final String NAME = "hadir";

    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;

    private final List<EmbeddedRedis> redises = new ArrayList<>();
    private final List<EmbeddedRedis> sentinels = new ArrayList<>();
    private final String password = EmbeddedRedis.randomText();

    private EmbeddedSentinels() {}

    /**
     * Starts all processes and waits until the sentinels know the replicas and each other.
     *
     * @throws IOException if they do not start
     */
    public static EmbeddedSentinels start() throws IOException {
        EmbeddedSentinels all = new EmbeddedSentinels();
        try {
            all.launch();
            all.awaitAgreement();
            return all;
        } catch (IOException | RuntimeException failed) {
            all.close();
            throw failed;
        }
    }

    public String url() {
        return "redis-sentinel://:" + password + "@"
                + sentinels.stream().map(EmbeddedRedis::address).collect(Collectors.joining(",")) + "/0#" + NAME;
    }

    /** The primary at the start. */
    public EmbeddedRedis primary() {
        return redises.get(0);
    }

    /** The replicas at the start. */
    public List<EmbeddedRedis> replicas() {
        return List.copyOf(redises.subList(1, redises.size()));
    }

    public List<EmbeddedRedis> sentinels() {
        return List.copyOf(sentinels);
    }

    private void launch() throws IOException {
        List<String> usual =
                List.of("masterauth " + password, "repl-diskless-sync-delay 0", "repl-ping-replica-period 1");
        redises.add(EmbeddedRedis.start(new EmbeddedRedis.Role(password, false, () -> usual)));
        List<String> copying = new ArrayList<>(usual);
        copying.add("replicaof 127.0.0.1 " + primary().port());
        for (int i = 0; i < REPLICAS; i++) {
            redises.add(EmbeddedRedis.start(new EmbeddedRedis.Role(password, false, () -> copying)));
        }
        List<String> watching = List.of(
                "sentinel monitor " + NAME + " 127.0.0.1 " + primary().port() + " 2",
                "sentinel auth-pass " + NAME + " " + password,
                "sentinel down-after-milliseconds " + NAME + " 2000",
                "sentinel failover-timeout " + NAME + " 10000",
                "sentinel parallel-syncs " + NAME + " " + REPLICAS);
        for (int i = 0; i < SENTINELS; i++) {
            sentinels.add(EmbeddedRedis.start(new EmbeddedRedis.Role("", true, () -> watching)));
        }
    }

    private void awaitAgreement() throws IOException {
        try (RedisClient client = RedisClient.create()) {
            List<RedisSentinelCommands<String, String>> all = new ArrayList<>();
            for (EmbeddedRedis sentinel : sentinels) {
                all.add(client.connectSentinel(RedisURI.create(sentinel.url())).sync());
            }
            StartupWait.until(
                    "the sentinels know the replicas and each other",
                    () -> all.stream().allMatch(this::agrees));
        }
    }

    private boolean agrees(RedisSentinelCommands<String, String> sentinel) {
        Map<String, String> known = sentinel.master(NAME);
        return String.valueOf(REPLICAS).equals(known.get("num-slaves"))
                && String.valueOf(SENTINELS - 1).equals(known.get("num-other-sentinels"))
                && sentinel.replicas(NAME).stream().allMatch(replica -> "ok".equals(replica.get("master-link-status")));
    }

    @Override
    public void close() {
        // The sentinels first: they would elect another primary.
        sentinels.forEach(EmbeddedRedis::close);
        redises.forEach(EmbeddedRedis::close);
    }
}
