package io.hadir.server.config;

import io.hadir.redis.link.RedisTls;
import io.hadir.redis.link.RedisUrl;
import org.jspecify.annotations.Nullable;

/**
 * Which Redis holds the truth.
 *
 * @param url where it is, null for one that comes with Hadir and ends with it
 * @param tls used where the URL wants TLS
 */
public record RedisConfig(@Nullable String url, RedisTls tls) {
    @Override
    public String toString() {
        return "RedisConfig[url=" + (url == null ? null : RedisUrl.withoutPassword(url)) + ", tls=" + tls + "]";
    }
}
