package io.hadir.redis;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.RoomId;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the channels of rooms, and to those of this node. When the connection was lost, or a subscription failed, it
 * subscribes again and says for each room that it resumed.
 */
public final class RedisRoomFeed implements RoomFeed {
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final RedisLink link;
    private final RedisKeys keys;
    private final Set<RoomId> rooms = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Listener listener;
    private volatile @Nullable String nodeChannel;
    private volatile Consumer<String> nodeListener = message -> {};
    private volatile @Nullable Plain plain;

    /** A channel that is not sharded, which scripts of any slot publish to. */
    private record Plain(String channel, Consumer<String> consumer, Runnable resumed) {}

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
    void listen(String channel, Consumer<String> consumer) {
        nodeListener = consumer;
        nodeChannel = channel;
        subscribe(link.listening(), channel);
    }

    /**
     * Listens to an ordinary channel as long as there is a link; set once, before the link is opened.
     *
     * @param resumed is run whenever nothing will be missed from now on
     */
    void listenPlain(String channel, Consumer<String> consumer, Runnable resumed) {
        plain = new Plain(channel, consumer, resumed);
    }

    @Override
    public CompletionStage<Void> subscribe(RoomId room) {
        rooms.add(room);
        return subscribe(link.listening(), keys.changes(room)).whenComplete((done, failed) -> {
            if (failed != null) {
                subscribeAgain(room);
            }
        });
    }

    /** Tries until the room is heard, since then something may have been missed; a new connection tries for itself. */
    private void subscribeAgain(RoomId room) {
        link.after(RETRY, () -> {
            StatefulRedisPubSubConnection<String, String> connection = link.listening();
            if (connection != null && rooms.contains(room)) {
                resume(connection, room);
            }
        });
    }

    private void resume(StatefulRedisPubSubConnection<String, String> connection, RoomId room) {
        subscribe(connection, keys.changes(room)).whenComplete((done, failed) -> {
            Listener current = listener;
            if (failed != null) {
                subscribeAgain(room);
            } else if (current != null) {
                current.resumed(room);
            }
        });
    }

    @Override
    public void unsubscribe(RoomId room) {
        rooms.remove(room);
        StatefulRedisPubSubConnection<String, String> connection = link.listening();
        if (connection != null) {
            var unused = connection.async().sunsubscribe(keys.changes(room));
        }
    }

    private void resume(StatefulRedisPubSubConnection<String, String> connection) {
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void smessage(String channel, String message) {
                heard(channel, message);
            }

            @Override
            public void message(String channel, String message) {
                Plain current = plain;
                if (current != null && channel.equals(current.channel)) {
                    current.consumer.accept(message);
                }
            }
        });
        Plain ordinary = plain;
        if (ordinary != null) {
            connection.async().subscribe(ordinary.channel).thenRun(ordinary.resumed);
        }
        String channel = nodeChannel;
        if (channel != null) {
            subscribe(connection, channel);
        }
        rooms.forEach(room -> resume(connection, room));
    }

    private static CompletionStage<Void> subscribe(
            @Nullable StatefulRedisPubSubConnection<String, String> connection, String channel) {
        if (connection == null) {
            return CompletableFuture.failedStage(new IllegalStateException("Redis is not connected"));
        }
        try {
            return connection.async().ssubscribe(channel);
        } catch (RuntimeException closed) {
            return CompletableFuture.failedStage(closed);
        }
    }

    private void heard(String channel, String message) {
        Listener current = listener;
        if (channel.equals(nodeChannel)) {
            nodeListener.accept(message);
        } else if (current != null) {
            keys.roomOfChannel(channel).ifPresent(room -> RoomMessage.tell(room, message, current));
        }
    }
}
