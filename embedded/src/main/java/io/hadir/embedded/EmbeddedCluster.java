package io.hadir.embedded;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A Redis Cluster for demos and tests: three masters with a replica each, on free loopback ports, empty and in memory.
 * It ends when it is closed or this process ends, however that happens.
 */
public final class EmbeddedCluster implements AutoCloseable {
    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;

    private final List<EmbeddedRedis> nodes = new ArrayList<>();
    private final List<Integer> busPorts = new ArrayList<>();
    private final String password = EmbeddedRedis.randomText();

    private EmbeddedCluster() {}

    /**
     * Starts the cluster and waits until every slot is served and replicated.
     *
     * @throws IOException if it does not start
     */
    public static EmbeddedCluster start() throws IOException {
        EmbeddedCluster cluster = new EmbeddedCluster();
        try {
            for (int i = 0; i < 2 * MASTERS; i++) {
                cluster.launch();
            }
            cluster.form();
            return cluster;
        } catch (IOException | RuntimeException failed) {
            cluster.close();
            throw failed;
        }
    }

    public String url() {
        return "redis-cluster://:" + password + "@"
                + nodes.stream().map(EmbeddedRedis::address).collect(Collectors.joining(","));
    }

    /** The masters at the start. */
    public List<EmbeddedRedis> masters() {
        return List.copyOf(nodes.subList(0, MASTERS));
    }

    /** The replicas at the start, in the order of their masters. */
    public List<EmbeddedRedis> replicas() {
        return List.copyOf(nodes.subList(MASTERS, nodes.size()));
    }

    private void launch() throws IOException {
        EmbeddedRedis.Role role = new EmbeddedRedis.Role(password, false, this::lines);
        nodes.add(EmbeddedRedis.start(role));
    }

    private List<String> lines() {
        int index = nodes.size();
        int bus;
        try {
            bus = EmbeddedRedis.freePort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        busPorts.subList(index, busPorts.size()).clear();
        busPorts.add(bus);
        return List.of(
                "cluster-enabled yes",
                "cluster-port " + bus,
                "cluster-announce-ip 127.0.0.1",
                "cluster-node-timeout 2000",
                // When a slot is not served, the rooms of other slots still work.
                "cluster-require-full-coverage no",
                "cluster-allow-replica-migration no",
                "cluster-replica-validity-factor 0",
                "masterauth " + password,
                "repl-diskless-sync-delay 0",
                "repl-ping-replica-period 1");
    }

    private void form() throws IOException {
        try (RedisClient client = RedisClient.create()) {
            List<RedisCommands<String, String>> all = new ArrayList<>();
            for (EmbeddedRedis node : nodes) {
                all.add(client.connect(RedisURI.create(node.url())).sync());
            }
            for (int i = 0; i < nodes.size(); i++) {
                all.get(i).clusterSetConfigEpoch(i + 1);
                if (i < MASTERS) {
                    cluster(all.get(i), "ADDSLOTSRANGE", SLOTS * i / MASTERS, SLOTS * (i + 1) / MASTERS - 1);
                }
            }
            for (int i = 1; i < nodes.size(); i++) {
                cluster(all.get(0), "MEET", "127.0.0.1", nodes.get(i).port(), busPorts.get(i));
            }
            StartupWait.until(
                    "the nodes of the cluster know each other",
                    () -> all.stream()
                            .allMatch(node -> node.clusterInfo().contains("cluster_known_nodes:" + nodes.size())));
            for (int i = 0; i < MASTERS; i++) {
                RedisCommands<String, String> replica = all.get(MASTERS + i);
                String master = all.get(i).clusterMyId();
                StartupWait.until(
                        "a replica has its master",
                        () -> replica.clusterReplicate(master).equals("OK"));
            }
            StartupWait.until(
                    "every slot is served and replicated",
                    () -> all.stream().allMatch(node -> node.clusterInfo().contains("cluster_state:ok"))
                            && all.subList(MASTERS, all.size()).stream()
                                    .allMatch(node -> node.info("replication").contains("master_link_status:up")));
        }
    }

    /** Sends a CLUSTER command that Lettuce has no method for, or none with a bus port. */
    private static void cluster(RedisCommands<String, String> node, Object... words) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        for (Object word : words) {
            arguments.add(word.toString());
        }
        node.dispatch(CommandType.CLUSTER, new StatusOutput<>(StringCodec.UTF8), arguments);
    }

    @Override
    public void close() {
        nodes.forEach(EmbeddedRedis::close);
    }
}
