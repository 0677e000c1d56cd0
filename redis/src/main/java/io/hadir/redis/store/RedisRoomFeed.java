package io.hadir.redis.store;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.PubSubConnections;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.ServerInfo;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the channels of rooms and of this node. After a lost connection, a moved slot or a failed subscription it
 * subscribes again, wherever the channel is then, and reports each channel as resumed. It does so for a bounded
 * number of channels at a time, so a node with many rooms still has time for its clients.
 */
public final class RedisRoomFeed implements RoomFeed {
    private static final Duration RETRY = Duration.ofSeconds(1);
    /** Pause after Redis reports that a channel has moved. */
    private static final Duration MOVING = Duration.ofMillis(100);

    private static final int SETTLED_AT_ONCE = 200;
    private static final String UNKNOWN_PROCESS = "";

    private final RedisLink link;
    private final PubSubConnections lines;
    private final RedisKeys keys;
    private final Map<String, Channel> channels = new ConcurrentHashMap<>();

    /** The Redis process of each open connection; known before its subscriptions are confirmed. */
    private final Map<StatefulRedisPubSubConnection<String, String>, CompletableFuture<String>> processes =
            new ConcurrentHashMap<>();

    private volatile @Nullable Listener listener;
    private volatile long upSince = System.nanoTime();

    private static final class Channel {
        final String name;
        /** Whether it belongs to a slot; scripts of any slot publish to a plain channel. */
        final boolean sharded;

        /** Whether it is this node's own; those are subscribed before rooms. */
        final boolean own;

        final Consumer<String> heard;
        final Resumed resumed;
        /** The connection of the last subscription; null if it failed. */
        volatile @Nullable StatefulRedisPubSubConnection<String, String> by;
        /** The Redis process of the last subscription. */
        volatile String process = UNKNOWN_PROCESS;

        Channel(String name, boolean sharded, boolean own, Consumer<String> heard, Resumed resumed) {
            this.name = name;
            this.sharded = sharded;
            this.own = own;
            this.heard = heard;
            this.resumed = resumed;
        }
    }

    /** Runs when messages of a channel may have been missed, but none will be from now on. */
    private interface Resumed {
        void run(boolean otherRedis);
    }

    public RedisRoomFeed(RedisLink link) {
        this.link = link;
        this.lines = link.pubSub();
        this.keys = new RedisKeys(link.isCluster());
        lines.listen(new PubSubConnections.Listener() {
            @Override
            public void up(StatefulRedisPubSubConnection<String, String> connection) {
                upSince = System.nanoTime();
                identify(connection);
                hear(connection);
                settle();
            }

            @Override
            public void moved() {
                settle();
            }
        });
    }

    @Override
    public void listen(Listener newListener) {
        listener = newListener;
    }

    @Override
    public Duration steadyFor() {
        return Duration.ofNanos(System.nanoTime() - upSince);
    }

    /** Listens to one more channel until the link closes. */
    public void listen(String name, Consumer<String> heard) {
        listen(new Channel(name, true, true, heard, otherRedis -> {}));
    }

    /**
     * Listens to one more channel, which is not sharded, until the link closes.
     *
     * @param resumed runs whenever messages may have been missed, but none will be from now on
     */
    public void listenPlain(String name, Consumer<String> heard, Runnable resumed) {
        listen(new Channel(name, false, true, heard, otherRedis -> resumed.run()));
    }

    private void listen(Channel channel) {
        channels.put(channel.name, channel);
        settle(channel);
    }

    @Override
    public CompletionStage<Void> subscribe(RoomId room) {
        Channel channel = new Channel(
                keys.changes(room),
                true,
                false,
                message -> tell(told -> RoomMessage.tell(room, message, told)),
                otherRedis -> tell(told -> told.resumed(room, otherRedis)));
        channels.put(channel.name, channel);
        StatefulRedisPubSubConnection<String, String> connection = connection(channel);
        return subscribe(channel, connection).whenComplete((done, failed) -> {
            if (failed != null) {
                subscribeAgain(channel, connection, failed);
            } else {
                channel.process = process(connection);
            }
        });
    }

    @Override
    public void unsubscribe(RoomId room) {
        String name = keys.changes(room);
        Channel channel = channels.remove(name);
        StatefulRedisPubSubConnection<String, String> connection = channel == null ? null : channel.by;
        if (connection != null && connection.isOpen()) {
            var unused = connection.async().sunsubscribe(name);
        }
    }

    private void tell(Consumer<Listener> news) {
        Listener current = listener;
        if (current != null) {
            news.accept(current);
        }
    }

    private void hear(StatefulRedisPubSubConnection<String, String> connection) {
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void smessage(String name, String message) {
                heard(name, message);
            }

            @Override
            public void message(String name, String message) {
                heard(name, message);
            }

            /** A master that has given the slot away sends this, too. */
            @Override
            public void sunsubscribed(String name, long count) {
                Channel channel = channels.get(name);
                if (link.isCluster() && channel != null && channel.by == connection) {
                    channel.by = null;
                    link.refreshTopology();
                    link.after(MOVING, () -> settle(channel));
                }
            }
        });
    }

    /** Subscribes again to every channel that belongs to another connection now. */
    private void settle() {
        List<Channel> moved = channels.values().stream()
                .filter(this::hasMoved)
                .sorted(Comparator.comparing(channel -> !channel.own))
                .toList();
        Stages.inBatches(moved, SETTLED_AT_ONCE, this::settle);
    }

    private boolean hasMoved(Channel channel) {
        StatefulRedisPubSubConnection<String, String> connection = connection(channel);
        return connection != null && connection != channel.by && channels.get(channel.name) == channel;
    }

    /** Never fails: a failed subscription is retried later. */
    private CompletionStage<Void> settle(Channel channel) {
        if (!hasMoved(channel)) {
            return CompletableFuture.completedFuture(null);
        }
        StatefulRedisPubSubConnection<String, String> connection = connection(channel);
        return subscribe(channel, connection).handle((done, failed) -> {
            if (failed != null) {
                subscribeAgain(channel, connection, failed);
            } else {
                String process = process(connection);
                boolean other = process.equals(UNKNOWN_PROCESS) || !process.equals(channel.process);
                channel.process = process;
                channel.resumed.run(other);
            }
            return null;
        });
    }

    /** Asks a new connection for its Redis process. */
    private void identify(StatefulRedisPubSubConnection<String, String> connection) {
        processes.keySet().removeIf(known -> !known.isOpen());
        processes.put(
                connection,
                connection
                        .async()
                        .info("server")
                        .thenApply(text -> new ServerInfo(text).runId())
                        .exceptionally(failed -> UNKNOWN_PROCESS)
                        .toCompletableFuture());
    }

    private String process(@Nullable StatefulRedisPubSubConnection<String, String> connection) {
        CompletableFuture<String> process = connection == null ? null : processes.get(connection);
        return process == null ? UNKNOWN_PROCESS : process.getNow(UNKNOWN_PROCESS);
    }

    /** Retries until the subscription succeeds. */
    private void subscribeAgain(
            Channel channel, @Nullable StatefulRedisPubSubConnection<String, String> connection, Throwable failed) {
        boolean moved = String.valueOf(failed.getMessage()).contains("MOVED ");
        if (channel.by == connection) {
            channel.by = null;
        }
        if (moved) {
            link.refreshTopology();
        }
        link.after(moved ? MOVING : RETRY, () -> settle(channel));
    }

    private @Nullable StatefulRedisPubSubConnection<String, String> connection(Channel channel) {
        return channel.sharded ? lines.forSharded(channel.name) : lines.forPlain(channel.by);
    }

    private static CompletionStage<Void> subscribe(
            Channel channel, @Nullable StatefulRedisPubSubConnection<String, String> connection) {
        if (connection == null) {
            return CompletableFuture.failedStage(new IllegalStateException("Redis is not connected"));
        }
        channel.by = connection;
        try {
            return channel.sharded
                    ? connection.async().ssubscribe(channel.name)
                    : connection.async().subscribe(channel.name);
        } catch (RuntimeException closed) {
            return CompletableFuture.failedStage(closed);
        }
    }

    private void heard(String name, String message) {
        Channel channel = channels.get(name);
        if (channel != null) {
            channel.heard.accept(message);
        }
    }
}
