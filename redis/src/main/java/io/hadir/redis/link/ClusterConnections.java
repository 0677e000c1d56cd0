package io.hadir.redis.link;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connections to a cluster. Lettuce knows which master serves which slot, follows moved slots, and reconnects to each
 * master separately, so one that is away does not affect the others. Messages arrive on plain connections, one to each
 * master, which can be watched and replaced like the connection to a single Redis.
 */
final class ClusterConnections extends RedisConnections {
    /** In addition to refreshes because a slot has moved or a master cannot be reached. */
    private static final Duration REFRESH_EVERY = Duration.ofSeconds(15);

    private static final Duration REFRESH_AT_MOST_EVERY = Duration.ofMillis(500);

    private final RedisClusterClient client;
    private final RedisClient listeners;
    private final RedisURI seed;
    private volatile Topology topology = new Topology(null, Map.of());

    private record Topology(@Nullable Partitions slots, Map<String, Master> masters) {}

    ClusterConnections(ClientResources resources, RedisAddress address) {
        super(resources, address.prefix());
        client = RedisClusterClient.create(resources, address.seeds());
        ClusterClientOptions.Builder options = bounded(ClusterClientOptions.builder(), address.tls());
        client.setOptions(options.validateClusterNodeMembership(false)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(REFRESH_EVERY)
                        .adaptiveRefreshTriggersTimeout(REFRESH_AT_MOST_EVERY)
                        .build())
                .build());
        seed = address.seeds().get(0);
        listeners = new AsyncClient(resources);
        listeners.setOptions(bounded(ClientOptions.builder(), address.tls())
                .autoReconnect(false)
                .build());
    }

    @Override
    CompletionStage<StatefulConnection<String, String>> connect() {
        return refreshTopology()
                .thenCompose(refreshed -> client.connectAsync(codec))
                .thenApply(connection -> connection);
    }

    @Override
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(Master master) {
        // With the options of the seed, which has the password.
        RedisURI uri = RedisURI.builder(seed)
                .withHost(master.host())
                .withPort(master.port())
                .build();
        return listeners.connectPubSubAsync(codec, uri);
    }

    @Override
    RedisClusterAsyncCommands<String, String> commands(StatefulConnection<String, String> connection) {
        return ((StatefulRedisClusterConnection<String, String>) connection).async();
    }

    /** Uses the same connection to the master as commands about its slots. */
    @Override
    CompletionStage<RedisClusterAsyncCommands<String, String>> commands(
            StatefulConnection<String, String> connection, Master master) {
        return ((StatefulRedisClusterConnection<String, String>) connection)
                .getConnectionAsync(master.host(), master.port())
                .thenApply(StatefulRedisConnection::async);
    }

    @Override
    List<Master> masters() {
        return List.copyOf(topology.masters.values());
    }

    @Override
    @Nullable
    Master masterOf(String key) {
        Topology known = topology;
        RedisClusterNode master = known.slots == null ? null : known.slots.getMasterBySlot(SlotHash.getSlot(key));
        return master == null ? null : known.masters.get(address(master.getUri()));
    }

    @Override
    CompletionStage<Void> refreshTopology() {
        return client.refreshPartitionsAsync().thenRun(this::readTopology);
    }

    @Override
    void onTopologyChange(Runnable action) {
        var unused = resources.eventBus().get().subscribe(event -> {
            if (event instanceof ClusterTopologyChangedEvent) {
                readTopology();
                action.run();
            }
        });
    }

    private void readTopology() {
        Partitions slots = client.getPartitions();
        Map<String, Master> masters = new LinkedHashMap<>();
        for (RedisClusterNode node : slots) {
            int count = node.getRole().isUpstream() ? node.getSlots().size() : 0;
            if (count > 0) {
                masters.put(address(node.getUri()), new Master(address(node.getUri()), count));
            }
        }
        topology = new Topology(slots, masters);
    }

    private static String address(RedisURI uri) {
        return uri.getHost() + ":" + uri.getPort();
    }

    @Override
    void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        listeners.shutdown(0, 1, TimeUnit.SECONDS);
        super.close();
    }
}
