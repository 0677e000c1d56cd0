package io.hadir.testing;

import io.hadir.embedded.EmbeddedCluster;
import io.hadir.embedded.EmbeddedRedis;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A real Redis Cluster, with what an operator or a fault does to it. */
public final class TestCluster implements AutoCloseable {
    private final EmbeddedCluster cluster;
    private final RedisClient client = RedisClient.create();
    private final Map<Integer, RedisCommands<String, String>> clis = new HashMap<>();
    private final List<EmbeddedRedis> alive = new ArrayList<>();
    private final String password;

    public TestCluster() throws IOException {
        cluster = EmbeddedCluster.start();
        alive.addAll(cluster.masters());
        alive.addAll(cluster.replicas());
        password = alive.get(0).password();
    }

    public String url() {
        return cluster.url();
    }

    /** The commands of an operator with {@code redis-cli} at one of the processes. */
    public RedisCommands<String, String> cli(EmbeddedRedis redis) {
        return clis.computeIfAbsent(
                redis.port(),
                port -> client.connect(RedisURI.create(redis.url())).sync());
    }

    /** The master that has a key now. */
    public EmbeddedRedis owner(String key) {
        return owner(SlotHash.getSlot(key));
    }

    private EmbeddedRedis owner(int slot) {
        for (EmbeddedRedis redis : alive) {
            String own = line(redis, cli(redis).clusterMyId());
            if (own.contains("master") && has(own, slot)) {
                return redis;
            }
        }
        throw new AssertionError("no master serves slot " + slot);
    }

    private String line(EmbeddedRedis asked, String id) {
        return cli(asked)
                .clusterNodes()
                .lines()
                .filter(line -> line.startsWith(id))
                .findFirst()
                .orElse("");
    }

    private static boolean has(String line, int slot) {
        return Stream.of(line.split(" ", -1))
                .skip(8)
                .filter(range -> !range.startsWith("["))
                .anyMatch(range -> {
                    String[] ends = range.split("-", -1);
                    return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
                });
    }

    /** The masters that serve slots, in no order. */
    public List<EmbeddedRedis> masters() {
        return alive.stream()
                .filter(redis -> line(redis, cli(redis).clusterMyId()).split(" ", -1).length > 8
                        && cli(redis).info("replication").contains("role:master"))
                .toList();
    }

    /** The replicas of a master. */
    public List<EmbeddedRedis> replicas(EmbeddedRedis master) {
        String id = cli(master).clusterMyId();
        return alive.stream()
                .filter(redis -> line(redis, cli(redis).clusterMyId()).contains("slave " + id))
                .toList();
    }

    /** An id whose keys belong to a master. */
    public String idAt(EmbeddedRedis master, String prefix) {
        return IntStream.range(0, 10_000)
                .mapToObj(i -> prefix + i)
                .filter(id -> owner("{" + id + "}") == master)
                .findFirst()
                .orElseThrow();
    }

    /** Marks a slot as moving; its keys stay where they are. */
    public void beginMove(int slot, EmbeddedRedis from, EmbeddedRedis to) {
        cli(to).clusterSetSlotImporting(slot, cli(from).clusterMyId());
        cli(from).clusterSetSlotMigrating(slot, cli(to).clusterMyId());
    }

    /** Moves up to {@code most} keys of a slot and returns how many it moved. */
    public int moveKeys(int slot, EmbeddedRedis from, EmbeddedRedis to, int most) {
        List<String> keys = cli(from).clusterGetKeysInSlot(slot, most);
        if (!keys.isEmpty()) {
            cli(from)
                    .migrate(
                            "127.0.0.1",
                            to.port(),
                            0,
                            5000,
                            MigrateArgs.Builder.<String>auth(password).keys(keys));
        }
        return keys.size();
    }

    /** Tells all masters that the slot has moved. */
    public void endMove(int slot, EmbeddedRedis to) {
        String id = cli(to).clusterMyId();
        cli(to).clusterSetSlotNode(slot, id);
        masters().forEach(master -> cli(master).clusterSetSlotNode(slot, id));
    }

    /** As {@code kill -9}. */
    public void kill(EmbeddedRedis redis) throws IOException {
        alive.remove(redis);
        Signals.kill(redis.process());
    }

    @Override
    public void close() {
        client.shutdown();
        cluster.close();
    }
}
