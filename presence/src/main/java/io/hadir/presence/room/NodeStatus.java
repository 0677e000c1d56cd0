package io.hadir.presence.room;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a server says about itself with its lease; null where it said nothing.
 *
 * @param lease what is left of it, null if it has no end
 */
public record NodeStatus(
        String id,
        @Nullable Instant startedAt,
        @Nullable String version,
        @Nullable Long sockets,
        @Nullable Duration lease) {}
