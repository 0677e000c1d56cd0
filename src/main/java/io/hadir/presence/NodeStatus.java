package io.hadir.presence;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a server says about itself with its lease; null where it said nothing. */
public record NodeStatus(
        String id,
        @Nullable Instant startedAt,
        @Nullable String version,
        @Nullable Long sockets) {}
