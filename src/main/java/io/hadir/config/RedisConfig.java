package io.hadir.config;

import org.jspecify.annotations.Nullable;

/**
 * Which Redis holds the truth.
 *
 * @param url where it is, null for one that comes with Hadir and ends with it
 * @param tls used where the URL wants TLS
 */
public record RedisConfig(@Nullable String url, RedisTls tls) {
    /** What a URL looks like. */
    public static final String EXPECTED_URL = RedisUrl.EXPECTED;

    /** A URL as it may be shown and logged. */
    public static String withoutPassword(String url) {
        return RedisUrl.withoutPassword(url);
    }

    @Override
    public String toString() {
        return "RedisConfig[url=" + (url == null ? null : withoutPassword(url)) + ", tls=" + tls + "]";
    }
}
