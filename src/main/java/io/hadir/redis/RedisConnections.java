package io.hadir.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Makes connections to a single Redis, a Sentinel's or a cluster, all with the same deadlines and bounds. */
abstract class RedisConnections {
    /** Well below the two seconds within which clients get an answer. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(1200);

    private static final Duration SILENCE = Duration.ofSeconds(8);
    private static final int MOST_WAITING = 50_000;
    private static final int THREADS = 2;

    static RedisConnections to(RedisAddress address, RedisLatency latency) {
        ClientResources resources = DefaultClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .computationThreadPoolSize(THREADS)
                .commandLatencyRecorder(latency.recorder())
                .build();
        address.seeds().forEach(seed -> seed.setTimeout(COMMAND_TIMEOUT));
        return address.cluster() ? new Cluster(resources, address) : new Single(resources, address);
    }

    abstract CompletionStage<StatefulConnection<String, String>> connect();

    abstract CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub();

    abstract RedisClusterAsyncCommands<String, String> commands(StatefulConnection<String, String> connection);

    abstract void close();

    private static <B extends ClientOptions.Builder> B bounded(B options) {
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_WAITING)
                .replayFilter(command -> true)
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .timeoutOptions(TimeoutOptions.enabled(COMMAND_TIMEOUT))
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(COMMAND_TIMEOUT)
                        .keepAlive(SocketOptions.KeepAliveOptions.builder()
                                .enable()
                                .idle(SILENCE)
                                .interval(Duration.ofSeconds(2))
                                .count(3)
                                .build())
                        .tcpUserTimeout(SocketOptions.TcpUserTimeoutOptions.builder()
                                .enable()
                                .tcpUserTimeout(SILENCE)
                                .build())
                        .build());
        return options;
    }

    private static void release(ClientResources resources) {
        resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }

    private static final class Single extends RedisConnections {
        private final ClientResources resources;
        private final RedisClient client;
        private final RedisURI uri;

        Single(ClientResources resources, RedisAddress address) {
            this.resources = resources;
            client = RedisClient.create(resources);
            // A broken connection is replaced by its line, which also replaces one that is silent.
            client.setOptions(
                    bounded(ClientOptions.builder()).autoReconnect(false).build());
            uri = address.seeds().get(0);
        }

        @Override
        CompletionStage<StatefulConnection<String, String>> connect() {
            return client.connectAsync(StringCodec.UTF8, uri).thenApply(connection -> connection);
        }

        @Override
        CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
            return client.connectPubSubAsync(StringCodec.UTF8, uri);
        }

        @Override
        RedisClusterAsyncCommands<String, String> commands(StatefulConnection<String, String> connection) {
            return ((StatefulRedisConnection<String, String>) connection).async();
        }

        @Override
        void close() {
            client.shutdown(0, 1, TimeUnit.SECONDS);
            release(resources);
        }
    }

    private static final class Cluster extends RedisConnections {
        private final ClientResources resources;
        private final RedisClusterClient client;

        Cluster(ClientResources resources, RedisAddress address) {
            this.resources = resources;
            client = RedisClusterClient.create(resources, address.seeds());
            ClusterClientOptions.Builder options = bounded(ClusterClientOptions.builder());
            client.setOptions(options.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                            .enablePeriodicRefresh(Duration.ofSeconds(30))
                            .build())
                    .build());
        }

        @Override
        CompletionStage<StatefulConnection<String, String>> connect() {
            return client.refreshPartitionsAsync()
                    .thenCompose(known -> client.connectAsync(StringCodec.UTF8))
                    .thenApply(connection -> connection);
        }

        @Override
        CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
            return client.refreshPartitionsAsync()
                    .thenCompose(known -> client.connectPubSubAsync(StringCodec.UTF8))
                    .thenApply(connection -> connection);
        }

        @Override
        RedisClusterAsyncCommands<String, String> commands(StatefulConnection<String, String> connection) {
            return ((StatefulRedisClusterConnection<String, String>) connection).async();
        }

        @Override
        void close() {
            client.shutdown(0, 1, TimeUnit.SECONDS);
            release(resources);
        }
    }
}
