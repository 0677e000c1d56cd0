package io.hadir.redis.link;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to a single Redis, to the primary behind sentinels, or to a cluster, all with the same time limits.
 */
abstract class RedisConnections {
    /** Leaves time to answer clients within two seconds. */
    static final Duration COMMAND_TIMEOUT = Duration.ofMillis(1200);

    /**
     * How long a connection may be silent. On a slow link, answers arrive too late for clients, but Redis still carries
     * out commands and renews the lease, so the connection is worth keeping.
     */
    static final Duration PATIENCE = Duration.ofMillis(3200);

    private static final Duration TCP_SILENCE = Duration.ofSeconds(8);
    private static final int MOST_WAITING = 50_000;

    final ClientResources resources;
    final RedisCodec<String, String> codec;
    final String prefix;
    private final EventExecutor thread;

    RedisConnections(ClientResources resources, String prefix) {
        this.resources = resources;
        this.codec = PrefixCodec.of(prefix);
        this.prefix = prefix;
        this.thread = LettuceResources.thread(resources.eventLoopGroupProvider());
    }

    static RedisConnections to(
            RedisAddress address, RedisLink.LatencyListener latency, EventLoopGroupProvider threads) {
        ClientResources resources = LettuceResources.create(threads, latency);
        address.seeds().forEach(seed -> {
            seed.setTimeout(address.cluster() ? COMMAND_TIMEOUT : PATIENCE);
            seed.getSentinels().forEach(sentinel -> sentinel.setTimeout(COMMAND_TIMEOUT));
        });
        return address.cluster()
                ? new ClusterConnections(resources, address)
                : new SingleConnections(resources, address);
    }

    /** Opens a connection for commands to all masters. */
    abstract CompletionStage<StatefulConnection<String, String>> connect();

    /** Opens a connection for the messages of one master. */
    abstract CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(Master master);

    abstract RedisClusterAsyncCommands<String, String> commands(StatefulConnection<String, String> connection);

    /** Commands that go to one master, whatever their keys. */
    abstract CompletionStage<? extends RedisClusterAsyncCommands<String, String>> commands(
            StatefulConnection<String, String> connection, Master master);

    /** The masters, as far as is known. */
    abstract List<Master> masters();

    /** The master that serves a key; null if that is not known or none does. */
    abstract @Nullable Master masterOf(String key);

    /** Finds out which masters serve which slots. */
    abstract CompletionStage<Void> refreshTopology();

    /** Sets what runs when slots have moved to other masters; called once, before the first connection. */
    abstract void onTopologyChange(Runnable action);

    /** The thread on which commands are sent and answered. */
    final EventExecutor thread() {
        return thread;
    }

    void close() {
        // A closed connection notifies its listeners two tasks later; wait, because they are about to end as well.
        for (int task = 0; task < 2 && !thread.isShuttingDown(); task++) {
            thread.submit(() -> {}).awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
        resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
        resources.eventLoopGroupProvider().shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }

    static <B extends ClientOptions.Builder> B bounded(B options, SslOptions tls) {
        options.sslOptions(tls);
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_WAITING)
                .replayFilter(command -> true)
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .timeoutOptions(TimeoutOptions.builder()
                        .timeoutCommands()
                        .timeoutSource(new TimeoutOptions.TimeoutSource() {
                            @Override
                            public long getTimeout(RedisCommand<?, ?, ?> command) {
                                boolean isCheck =
                                        command.getType() == CommandType.PING || command.getType() == CommandType.INFO;
                                return (isCheck ? PATIENCE : COMMAND_TIMEOUT).toMillis();
                            }
                        })
                        .build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(COMMAND_TIMEOUT)
                        .keepAlive(SocketOptions.KeepAliveOptions.builder()
                                .enable()
                                .idle(TCP_SILENCE)
                                .interval(Duration.ofSeconds(2))
                                .count(3)
                                .build())
                        .tcpUserTimeout(SocketOptions.TcpUserTimeoutOptions.builder()
                                .enable()
                                .tcpUserTimeout(TCP_SILENCE)
                                .build())
                        .build());
        return options;
    }
}
