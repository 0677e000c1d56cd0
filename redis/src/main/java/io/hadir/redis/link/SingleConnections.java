package io.hadir.redis.link;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connections to one Redis, or to the current primary, which {@link Sentinels} name for every new connection. */
final class SingleConnections extends RedisConnections {
    private final RedisClient client;
    private final RedisURI uri;
    private final @Nullable Sentinels sentinels;

    SingleConnections(ClientResources resources, RedisAddress address) {
        super(resources, address.prefix());
        client = new AsyncClient(resources);
        // ReconnectingConnection replaces broken connections, and silent ones as well.
        client.setOptions(bounded(ClientOptions.builder(), address.tls())
                .autoReconnect(false)
                .build());
        uri = address.seeds().get(0);
        sentinels = uri.getSentinels().isEmpty()
                ? null
                : new Sentinels(client, uri.getSentinels(), Objects.requireNonNull(uri.getSentinelMasterId()));
    }

    private CompletionStage<RedisURI> primary() {
        return sentinels == null
                ? CompletableFuture.completedFuture(uri)
                : sentinels
                        .primary()
                        .thenApply(address -> RedisURI.builder(uri)
                                .withHost(address.getHostString())
                                .withPort(address.getPort())
                                .build());
    }

    @Override
    CompletionStage<StatefulConnection<String, String>> connect() {
        return primary()
                .thenCompose(primary -> client.connectAsync(codec, primary))
                .thenApply(connection -> connection);
    }

    @Override
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(Master master) {
        return primary().thenCompose(primary -> client.connectPubSubAsync(codec, primary));
    }

    @Override
    RedisClusterAsyncCommands<String, String> commands(StatefulConnection<String, String> connection) {
        return ((StatefulRedisConnection<String, String>) connection).async();
    }

    @Override
    CompletionStage<RedisClusterAsyncCommands<String, String>> commands(
            StatefulConnection<String, String> connection, Master master) {
        return CompletableFuture.completedFuture(commands(connection));
    }

    @Override
    List<Master> masters() {
        return List.of(Master.WHOLE);
    }

    @Override
    Master masterOf(String key) {
        return Master.WHOLE;
    }

    @Override
    CompletionStage<Void> refreshTopology() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    void onTopologyChange(Runnable action) {}

    @Override
    void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        super.close();
    }
}
