package io.hadir.presence.stats;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How Redis is, as this server sees it; null is what is not known.
 *
 * @param connected whether it can be used, and answered just now
 * @param evicting whether it throws keys away when its memory is full
 * @param usedMemory in bytes
 * @param maxMemory in bytes, null also if there is no limit
 * @param latency how long it took to answer a ping
 */
public record RedisStatus(
        boolean connected,
        Mode mode,
        @Nullable String version,
        @Nullable Boolean evicting,
        @Nullable Long usedMemory,
        @Nullable Long maxMemory,
        @Nullable Duration latency) {
    /** How many there are of it, and who says which one is to be asked. */
    public enum Mode {
        STANDALONE,
        SENTINEL,
        CLUSTER;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Nothing is known but where it should be. */
    public static RedisStatus away(Mode mode) {
        return new RedisStatus(false, mode, null, null, null, null, null);
    }
}
