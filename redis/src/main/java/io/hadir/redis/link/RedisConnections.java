package io.hadir.redis.link;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.Transports;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes connections to a single Redis, a Sentinel's or a cluster, all with the same deadlines and bounds. */
abstract class RedisConnections {
    /** Well below the two seconds within which clients get an answer. */
    static final Duration COMMAND_TIMEOUT = Duration.ofMillis(1200);

    /**
     * How long a connection may say nothing. On a slow link answers come too late for clients, but what was asked is done:
     * the lease is renewed, so the connection is worth keeping.
     */
    static final Duration PATIENCE = Duration.ofMillis(3200);

    private static final Duration SILENCE = Duration.ofSeconds(8);
    private static final int MOST_WAITING = 50_000;
    private static final int THREADS = 2;
    private static final int MOST_AT_ONCE = 256;

    final ClientResources resources;
    private final EventExecutor thread;

    RedisConnections(ClientResources resources) {
        this.resources = resources;
        this.thread = thread(resources.eventLoopGroupProvider());
    }

    private static EventExecutor thread(EventLoopGroupProvider threads) {
        return threads.allocate(Transports.eventLoopGroupClass()).next();
    }

    static RedisConnections to(RedisAddress address, RedisLatency latency, EventLoopGroupProvider threads) {
        ClientResources resources = DefaultClientResources.builder()
                .eventLoopGroupProvider(threads)
                .timer(new LoopTimer(thread(threads)))
                .computationThreadPoolSize(THREADS)
                .addressResolverGroup(new HostNames())
                .nettyCustomizer(new NettyCustomizer() {
                    /** What is sent in one go of the loop is written at once. */
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channel.pipeline().addFirst(new FlushConsolidationHandler(MOST_AT_ONCE, true));
                    }
                })
                .commandLatencyRecorder(latency.recorder())
                .reconnectDelay(Delay.exponential(50, 1000, TimeUnit.MILLISECONDS, 2))
                .build();
        address.seeds().forEach(seed -> {
            seed.setTimeout(address.cluster() ? COMMAND_TIMEOUT : PATIENCE);
            seed.getSentinels().forEach(sentinel -> sentinel.setTimeout(COMMAND_TIMEOUT));
        });
        return address.cluster()
                ? new ClusterConnections(resources, address)
                : new SingleConnections(resources, address);
    }

    /** A connection for commands, to all masters. */
    abstract CompletionStage<StatefulConnection<String, String>> connect();

    /** A connection by which the messages of one master come. */
    abstract CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(Master master);

    abstract RedisClusterAsyncCommands<String, String> commands(StatefulConnection<String, String> connection);

    /** Commands that go to one master, whatever they are about. */
    abstract CompletionStage<? extends RedisClusterAsyncCommands<String, String>> commands(
            StatefulConnection<String, String> connection, Master master);

    /** The masters that there are now. */
    abstract List<Master> masters();

    /** The master in which a key lies, null if that is not known, or nobody serves it. */
    abstract @Nullable Master masterOf(String key);

    /** Looks which masters there are. */
    abstract CompletionStage<Void> lookAgain();

    /** Who is told when slots have moved from one master to another; set once, before the first connection. */
    abstract void onMoved(Runnable moved);

    /** The thread on which everything is sent and answered. */
    final EventExecutor thread() {
        return thread;
    }

    void close() {
        // A connection that is closed says so in the next task but one, to those who are about to end.
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
                                boolean asksForLife =
                                        command.getType() == CommandType.PING || command.getType() == CommandType.INFO;
                                return (asksForLife ? PATIENCE : COMMAND_TIMEOUT).toMillis();
                            }
                        })
                        .build())
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
}
