package io.hadir.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Limits connections to the file descriptors that this process may open. */
final class Descriptors {
    /** For Redis, files, and connections that are about to be refused. */
    private static final int RESERVED = 150;

    private static final Logger LOG = LoggerFactory.getLogger(Descriptors.class);

    private Descriptors() {}

    /**
     * The number of connections to allow: at most the wanted number, and few enough that descriptors do not run out.
     */
    static int connections(int wanted) {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
            return wanted;
        }
        int possible = possible(wanted, system.getMaxFileDescriptorCount());
        if (possible < wanted) {
            LOG.info(
                    "At most {} connections, because this process may open {} files (ulimit -Hn; --max-connections {} needs {})",
                    possible,
                    system.getMaxFileDescriptorCount(),
                    wanted,
                    wanted + RESERVED);
        }
        return possible;
    }

    static int possible(int wanted, long descriptors) {
        return descriptors <= 0 ? wanted : (int) Math.max(1, Math.min(wanted, descriptors - RESERVED));
    }
}
