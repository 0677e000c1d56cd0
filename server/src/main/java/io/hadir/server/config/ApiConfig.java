package io.hadir.server.config;

import org.jspecify.annotations.Nullable;

/**
 * Who may use the HTTP API.
 *
 * @param key what backends show, null if programs on the same machine need none and others are refused
 */
public record ApiConfig(@Nullable String key) {
    @Override
    public String toString() {
        return "ApiConfig[key=" + (key == null ? null : "***") + "]";
    }
}
