package io.hadir.config;

import org.jspecify.annotations.Nullable;

/**
 * Which Redis holds the truth.
 *
 * @param url where it is, null for one that comes with Hadir and ends with it
 */
public record RedisConfig(@Nullable String url) {
    /** The URL as it may be shown and logged: without its password. */
    public @Nullable String shownUrl() {
        return url == null ? null : RedisUrl.withoutPassword(url);
    }

    @Override
    public String toString() {
        return "RedisConfig[url=" + shownUrl() + "]";
    }
}
