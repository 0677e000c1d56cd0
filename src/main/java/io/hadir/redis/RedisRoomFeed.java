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
 * Listens to the channels of rooms, and to those of this node. When the connection was lost, or a subscription failed, it
 * subscribes again and says for each channel that it resumed.
 */
public final class RedisRoomFeed implements RoomFeed {
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final RedisLink link;
    private final RedisKeys keys;
    private final Map<String, Channel> channels = new ConcurrentHashMap<>();
    private volatile @Nullable Listener listener;

    /**
     * What is listened to.
     *
     * @param sharded whether it belongs to a slot; scripts of any slot publish to one that does not
     * @param heard takes every message
     * @param resumed is run when something may have been missed, but will not be from now on
     */
    private record Channel(String name, boolean sharded, Consumer<String> heard, Runnable resumed) {}

    public RedisRoomFeed(RedisLink link) {
        this.link = link;
        this.keys = new RedisKeys(link.isCluster());
        link.onListening(new Line.Events<>() {
            @Override
            public void up(StatefulRedisPubSubConnection<String, String> connection) {
                resume(connection);
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
        StatefulRedisPubSubConnection<String, String> connection = link.listening();
        if (connection != null) {
            resume(connection, channel);
        }
    }

    @Override
    public CompletionStage<Void> subscribe(RoomId room) {
        Channel channel = new Channel(
                keys.changes(room),
                true,
                message -> tell(told -> RoomMessage.tell(room, message, told)),
                () -> tell(told -> told.resumed(room)));
        channels.put(channel.name, channel);
        return subscribe(link.listening(), channel).whenComplete((done, failed) -> {
            if (failed != null) {
                subscribeAgain(channel);
            }
        });
    }

    @Override
    public void unsubscribe(RoomId room) {
        String name = keys.changes(room);
        channels.remove(name);
        StatefulRedisPubSubConnection<String, String> connection = link.listening();
        if (connection != null) {
            var unused = connection.async().sunsubscribe(name);
        }
    }

    private void tell(Consumer<Listener> news) {
        Listener current = listener;
        if (current != null) {
            news.accept(current);
        }
    }

    private void resume(StatefulRedisPubSubConnection<String, String> connection) {
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void smessage(String name, String message) {
                heard(name, message);
            }

            @Override
            public void message(String name, String message) {
                heard(name, message);
            }
        });
        channels.values().forEach(channel -> resume(connection, channel));
    }

    private void resume(StatefulRedisPubSubConnection<String, String> connection, Channel channel) {
        subscribe(connection, channel).whenComplete((done, failed) -> {
            if (failed != null) {
                subscribeAgain(channel);
            } else {
                channel.resumed.run();
            }
        });
    }

    /** Tries until the channel is heard; a new connection tries for itself. */
    private void subscribeAgain(Channel channel) {
        link.after(RETRY, () -> {
            StatefulRedisPubSubConnection<String, String> connection = link.listening();
            if (connection != null && channel.equals(channels.get(channel.name))) {
                resume(connection, channel);
            }
        });
    }

    private static CompletionStage<Void> subscribe(
            @Nullable StatefulRedisPubSubConnection<String, String> connection, Channel channel) {
        if (connection == null) {
            return CompletableFuture.failedStage(new IllegalStateException("Redis is not connected"));
        }
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
