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
 * Listens to the channels of rooms, and to those of this node. When a connection was lost, a slot has moved or a
 * subscription failed, it subscribes again, where the channel is then, and says for each channel that it resumed. It
 * does so for a bounded number of channels at a time, so that a node with many rooms has time for its clients.
 */
public final class RedisRoomFeed implements RoomFeed {
    private static final Duration RETRY = Duration.ofSeconds(1);
    /** After word that a channel is elsewhere. */
    private static final Duration MOVING = Duration.ofMillis(100);

    private static final int SETTLED_AT_ONCE = 200;
    private static final String UNKNOWN_PROCESS = "";

    private final RedisLink link;
    private final PubSubConnections lines;
    private final RedisKeys keys;
    private final Map<String, Channel> channels = new ConcurrentHashMap<>();

    /** Which Redis process each open connection leads to; the answer comes before those to its subscriptions. */
    private final Map<StatefulRedisPubSubConnection<String, String>, CompletableFuture<String>> processes =
            new ConcurrentHashMap<>();

    private volatile @Nullable Listener listener;

    /** What is listened to. */
    private static final class Channel {
        final String name;
        /** Whether it belongs to a slot; scripts of any slot publish to one that does not. */
        final boolean sharded;

        /** Whether it is this node's own; those come before the rooms'. */
        final boolean own;

        final Consumer<String> heard;
        final Resumed resumed;
        /** Where it was subscribed to last, null if that has failed. */
        volatile @Nullable StatefulRedisPubSubConnection<String, String> by;
        /** The Redis process from which it was last heard. */
        volatile String process = UNKNOWN_PROCESS;

        Channel(String name, boolean sharded, boolean own, Consumer<String> heard, Resumed resumed) {
            this.name = name;
            this.sharded = sharded;
            this.own = own;
            this.heard = heard;
            this.resumed = resumed;
        }
    }

    /** Told when something may have been missed on a channel, but will not be from now on. */
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

    /** Listens to one more channel as long as there is a link. */
    public void listen(String name, Consumer<String> heard) {
        listen(new Channel(name, true, true, heard, otherRedis -> {}));
    }

    /**
     * Listens to one more channel, which is not sharded, as long as there is a link.
     *
     * @param resumed is run whenever nothing will be missed from now on
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

            /** Also said by a master that has given the slot away. */
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

    /** Subscribes to every channel whose connection is another one now. */
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

    /** Never fails: what cannot be subscribed to now is tried again by itself. */
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

    /** Asks a new connection which Redis process it leads to. */
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

    /** Tries until the channel is heard. */
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
