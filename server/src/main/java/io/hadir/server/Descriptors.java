package io.hadir.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many files and sockets the machine lets this process open. */
final class Descriptors {
    /** For Redis, files, and connections on their way to be refused. */
    private static final int OWN = 150;

    private static final Logger LOG = LoggerFactory.getLogger(Descriptors.class);

    private Descriptors() {}

    /** How many of the wanted connections there can be: one more is refused in order, before descriptors run out. */
    static int connections(int wanted) {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
            return wanted;
        }
        int possible = possible(wanted, system.getMaxFileDescriptorCount());
        if (possible < wanted) {
            LOG.info(
                    "{} connections at a time, because this process may have {} descriptors (ulimit -Hn; {} for --max-connections {})",
                    possible,
                    system.getMaxFileDescriptorCount(),
                    wanted + OWN,
                    wanted);
        }
        return possible;
    }

    static int possible(int wanted, long descriptors) {
        return descriptors <= 0 ? wanted : (int) Math.max(1, Math.min(wanted, descriptors - OWN));
    }
}
