package io.hadir.presence.stats;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The state of Redis as this node sees it; null where it is not known.
 *
 * @param connected whether the connection is usable and a ping was answered just now
 * @param evicting whether it may delete keys when its memory is full
 * @param usedMemory in bytes
 * @param maxMemory in bytes, null also if there is no limit
 * @param latency the time of a ping
 */
public record RedisStatus(
        boolean connected,
        Mode mode,
        @Nullable String version,
        @Nullable Boolean evicting,
        @Nullable Long usedMemory,
        @Nullable Long maxMemory,
        @Nullable Duration latency) {
    /** How Redis is deployed. */
    public enum Mode {
        STANDALONE,
        SENTINEL,
        CLUSTER;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The status while Redis does not answer. */
    public static RedisStatus away(Mode mode) {
        return new RedisStatus(false, mode, null, null, null, null, null);
    }
}
