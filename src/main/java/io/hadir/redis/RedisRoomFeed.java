package io.hadir.redis;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.RoomId;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the channels of rooms, and to those of this node. When a connection was lost, a slot has moved or a
 * subscription failed, it subscribes again, where the channel is then, and says for each channel that it resumed.
 */
public final class RedisRoomFeed implements RoomFeed {
    private static final Duration RETRY = Duration.ofSeconds(1);
    /** After word that a channel is elsewhere. */
    private static final Duration MOVING = Duration.ofMillis(100);

    private final RedisLink link;
    private final Listening lines;
    private final RedisKeys keys;
    private final Map<String, Channel> channels = new ConcurrentHashMap<>();
    private volatile @Nullable Listener listener;

    /** What is listened to. */
    private static final class Channel {
        final String name;
        /** Whether it belongs to a slot; scripts of any slot publish to one that does not. */
        final boolean sharded;

        final Consumer<String> heard;
        /** Run when something may have been missed, but will not be from now on. */
        final Runnable resumed;
        /** Where it was subscribed to last, null if that has failed. */
        volatile @Nullable StatefulRedisPubSubConnection<String, String> by;

        Channel(String name, boolean sharded, Consumer<String> heard, Runnable resumed) {
            this.name = name;
            this.sharded = sharded;
            this.heard = heard;
            this.resumed = resumed;
        }
    }

    public RedisRoomFeed(RedisLink link) {
        this.link = link;
        this.lines = link.listening();
        this.keys = new RedisKeys(link.isCluster());
        lines.listen(new Listening.Listener() {
            @Override
            public void up(StatefulRedisPubSubConnection<String, String> connection) {
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
    void listen(String name, Consumer<String> heard) {
        listen(new Channel(name, true, heard, () -> {}));
    }

    /**
     * Listens to one more channel, which is not sharded, as long as there is a link.
     *
     * @param resumed is run whenever nothing will be missed from now on
     */
    void listenPlain(String name, Consumer<String> heard, Runnable resumed) {
        listen(new Channel(name, false, heard, resumed));
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
                message -> tell(told -> RoomMessage.tell(room, message, told)),
                () -> tell(told -> told.resumed(room)));
        channels.put(channel.name, channel);
        StatefulRedisPubSubConnection<String, String> connection = connection(channel);
        return subscribe(channel, connection).whenComplete((done, failed) -> {
            if (failed != null) {
                subscribeAgain(channel, connection, failed);
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
                    link.lookForOthers();
                    link.after(MOVING, () -> settle(channel));
                }
            }
        });
    }

    /** Subscribes to every channel whose connection is another one now. */
    private void settle() {
        channels.values().forEach(this::settle);
    }

    private void settle(Channel channel) {
        StatefulRedisPubSubConnection<String, String> connection = connection(channel);
        if (connection != null && connection != channel.by && channels.get(channel.name) == channel) {
            subscribe(channel, connection).whenComplete((done, failed) -> {
                if (failed != null) {
                    subscribeAgain(channel, connection, failed);
                } else {
                    channel.resumed.run();
                }
            });
        }
    }

    /** Tries until the channel is heard. */
    private void subscribeAgain(
            Channel channel, @Nullable StatefulRedisPubSubConnection<String, String> connection, Throwable failed) {
        boolean moved = String.valueOf(failed.getMessage()).contains("MOVED ");
        if (channel.by == connection) {
            channel.by = null;
        }
        if (moved) {
            link.lookForOthers();
        }
        link.after(moved ? MOVING : RETRY, () -> settle(channel));
    }

    private @Nullable StatefulRedisPubSubConnection<String, String> connection(Channel channel) {
        return channel.sharded ? lines.by(channel.name) : lines.byAny(channel.by);
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
