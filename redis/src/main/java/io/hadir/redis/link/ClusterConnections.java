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
import io.lettuce.core.codec.StringCodec;
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
 * Connections to a cluster. Lettuce knows which master has which slot, follows what has moved, and mends the connection to
 * each master for itself: one that is away does not take the others with it. Messages come by plain connections, one to
 * each master, so that each can be watched and replaced as that to a single Redis.
 */
final class ClusterConnections extends RedisConnections {
    /** Beside the looks for a reason: when something has moved, or cannot be reached. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(15);

    private static final Duration LOOK_AT_MOST_EVERY = Duration.ofMillis(500);

    private final RedisClusterClient client;
    private final RedisClient listeners;
    private final RedisURI seed;
    private volatile Layout layout = new Layout(null, Map.of());

    /** What is known of the cluster. */
    private record Layout(@Nullable Partitions slots, Map<String, Master> masters) {}

    ClusterConnections(ClientResources resources, RedisAddress address) {
        super(resources);
        client = RedisClusterClient.create(resources, address.seeds());
        ClusterClientOptions.Builder options = bounded(ClusterClientOptions.builder(), address.tls());
        client.setOptions(options.validateClusterNodeMembership(false)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(LOOK_EVERY)
                        .adaptiveRefreshTriggersTimeout(LOOK_AT_MOST_EVERY)
                        .build())
                .build());
        seed = address.seeds().get(0);
        listeners = RedisClient.create(resources);
        listeners.setOptions(bounded(ClientOptions.builder(), address.tls())
                .autoReconnect(false)
                .build());
    }

    @Override
    CompletionStage<StatefulConnection<String, String>> connect() {
        return lookAgain()
                .thenCompose(known -> client.connectAsync(StringCodec.UTF8))
                .thenApply(connection -> connection);
    }

    @Override
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(Master master) {
        // As its seed is reached: only that knows the password.
        RedisURI uri = RedisURI.builder(seed)
                .withHost(master.host())
                .withPort(master.port())
                .build();
        return listeners.connectPubSubAsync(StringCodec.UTF8, uri);
    }

    @Override
    RedisClusterAsyncCommands<String, String> commands(StatefulConnection<String, String> connection) {
        return ((StatefulRedisClusterConnection<String, String>) connection).async();
    }

    /** By the same connection to the master by which commands about its slots go. */
    @Override
    CompletionStage<RedisClusterAsyncCommands<String, String>> commands(
            StatefulConnection<String, String> connection, Master master) {
        return ((StatefulRedisClusterConnection<String, String>) connection)
                .getConnectionAsync(master.host(), master.port())
                .thenApply(StatefulRedisConnection::async);
    }

    @Override
    List<Master> masters() {
        return List.copyOf(layout.masters.values());
    }

    @Override
    @Nullable
    Master masterOf(String key) {
        Layout known = layout;
        RedisClusterNode master = known.slots == null ? null : known.slots.getMasterBySlot(SlotHash.getSlot(key));
        return master == null ? null : known.masters.get(address(master.getUri()));
    }

    @Override
    CompletionStage<Void> lookAgain() {
        return client.refreshPartitionsAsync().thenRun(this::read);
    }

    @Override
    void onMoved(Runnable moved) {
        var unused = resources.eventBus().get().subscribe(event -> {
            if (event instanceof ClusterTopologyChangedEvent) {
                read();
                moved.run();
            }
        });
    }

    private void read() {
        Partitions slots = client.getPartitions();
        Map<String, Master> masters = new LinkedHashMap<>();
        for (RedisClusterNode node : slots) {
            int count = node.getRole().isUpstream() ? node.getSlots().size() : 0;
            if (count > 0) {
                masters.put(address(node.getUri()), new Master(address(node.getUri()), count));
            }
        }
        layout = new Layout(slots, masters);
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
