package io.hadir.redis.link;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisReactiveCommandsImpl;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.pubsub.PubSubEndpoint;
import io.lettuce.core.pubsub.RedisPubSubReactiveCommandsImpl;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnectionImpl;
import io.lettuce.core.pubsub.api.sync.RedisPubSubCommands;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A Lettuce client whose connections have asynchronous commands only. Lettuce would also create a proxy with a thousand
 * methods for the synchronous ones, which slows the start.
 */
final class AsyncClient extends RedisClient {
    AsyncClient(ClientResources resources) {
        super(resources, new RedisURI());
    }

    @Override
    protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
            RedisChannelWriter writer, PushHandler pushes, RedisCodec<K, V> codec, Duration timeout) {
        return new Connection<>(writer, pushes, codec, timeout);
    }

    @Override
    protected <K, V> StatefulRedisPubSubConnectionImpl<K, V> newStatefulRedisPubSubConnection(
            PubSubEndpoint<K, V> endpoint, RedisChannelWriter writer, RedisCodec<K, V> codec, Duration timeout) {
        return new PubSubConnection<>(endpoint, writer, codec, timeout);
    }

    private static final class Connection<K, V> extends StatefulRedisConnectionImpl<K, V> {
        Connection(RedisChannelWriter writer, PushHandler pushes, RedisCodec<K, V> codec, Duration timeout) {
            super(writer, pushes, codec, timeout);
        }

        @Override
        protected @Nullable RedisCommands<K, V> newRedisSyncCommandsImpl() {
            return null;
        }

        @Override
        protected @Nullable RedisReactiveCommandsImpl<K, V> newRedisReactiveCommandsImpl() {
            return null;
        }
    }

    private static final class PubSubConnection<K, V> extends StatefulRedisPubSubConnectionImpl<K, V> {
        PubSubConnection(
                PubSubEndpoint<K, V> endpoint, RedisChannelWriter writer, RedisCodec<K, V> codec, Duration timeout) {
            super(endpoint, writer, codec, timeout);
        }

        @Override
        protected @Nullable RedisPubSubCommands<K, V> newRedisSyncCommandsImpl() {
            return null;
        }

        @Override
        protected @Nullable RedisPubSubReactiveCommandsImpl<K, V> newRedisReactiveCommandsImpl() {
            return null;
        }
    }
}
