package io.hadir.redis.link;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.nio.ByteBuffer;
import java.util.stream.Stream;

/**
 * Prepends a prefix to the name of every key and channel on its way to Redis, and takes it off on the way back. Lettuce
 * treats the fields of a hash as keys, too; they keep their names, because none begins like a key.
 */
final class PrefixCodec implements RedisCodec<String, String> {
    private final String prefix;

    private PrefixCodec(String prefix) {
        this.prefix = prefix;
    }

    /** @param prefix empty for none */
    static RedisCodec<String, String> of(String prefix) {
        return prefix.isEmpty() ? StringCodec.UTF8 : new PrefixCodec(prefix);
    }

    private static boolean isName(String text) {
        return Stream.of("room:", "user:", "hadir:").anyMatch(text::startsWith);
    }

    @Override
    public String decodeKey(ByteBuffer bytes) {
        String text = StringCodec.UTF8.decodeKey(bytes);
        boolean prefixed = text.startsWith(prefix) && isName(text.substring(prefix.length()));
        return prefixed ? text.substring(prefix.length()) : text;
    }

    @Override
    public String decodeValue(ByteBuffer bytes) {
        return StringCodec.UTF8.decodeValue(bytes);
    }

    @Override
    public ByteBuffer encodeKey(String key) {
        return StringCodec.UTF8.encodeKey(isName(key) ? prefix + key : key);
    }

    @Override
    public ByteBuffer encodeValue(String value) {
        return StringCodec.UTF8.encodeValue(value);
    }
}
