package io.hadir.presence.room;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a node reports with its lease; null where it reports nothing.
 *
 * @param users how many users it leads: each user online is led by one node
 * @param lease the remaining time of the lease, null if it does not expire
 */
public record NodeStatus(
        String id,
        @Nullable Instant startedAt,
        @Nullable String version,
        @Nullable Long sockets,
        @Nullable Long users,
        @Nullable Duration lease) {}
