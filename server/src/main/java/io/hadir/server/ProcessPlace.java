package io.hadir.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a server process runs. A successor at the same address can tell from it whether the process is certainly gone.
 * Linux supplies every part; on other systems, or if a part is unknown, nothing is certain.
 *
 * @param machine a digest of the machine's id
 * @param address what the server listens on
 * @param boot the id of the machine's boot
 * @param namespaces the namespaces in which the process id and the start time are valid
 * @param user the operating system's user: processes of another user may be invisible
 * @param started the start time of the process, in clock ticks since the boot
 */
record ProcessPlace(
        String machine, String address, String boot, String namespaces, String user, long pid, long started) {
    /** Linux's initial namespace. In any other, such as a container's, many machines may share one machine id. */
    private static final String FIRST_NAMESPACE = "pid:[4026531836]";

    private static final int DIGITS = 16;
    private static final int PARTS = 7;
    /** Fields of {@code /proc/PID/stat} behind the name of the command. */
    private static final int STATE = 0;

    private static final int STARTED = 19;

    /**
     * The place of this process; null if it is unknown.
     *
     * @param root the root of the file system
     * @param port 0 if any port will do: then no successor can have the same address
     */
    static @Nullable ProcessPlace own(Path root, String host, int port) {
        if (port == 0) {
            return null;
        }
        try {
            Path self = root.resolve("proc/self");
            String machine = read(root.resolve("etc/machine-id"));
            String boot = read(root.resolve("proc/sys/kernel/random/boot_id"));
            String stat = read(self.resolve("stat"));
            if (machine.isEmpty() || boot.isEmpty()) {
                return null;
            }
            String pid = Files.readSymbolicLink(self.resolve("ns/pid")).toString();
            Path time = self.resolve("ns/time");
            String clock =
                    Files.isSymbolicLink(time) ? Files.readSymbolicLink(time).toString() : "";
            return new ProcessPlace(
                    digest(machine),
                    host + ":" + port,
                    boot,
                    pid + clock,
                    String.valueOf(Files.getAttribute(self, "unix:uid")),
                    Long.parseLong(stat.substring(0, stat.indexOf(' '))),
                    started(stat));
        } catch (IOException | RuntimeException unknown) {
            return null;
        }
    }

    /**
     * Whether a process that ran in another place is certainly gone, as seen from this one.
     *
     * @param silence how long ago it gave its last sign of life
     * @param lease how long it may have been silent while alive
     */
    boolean isGone(ProcessPlace former, Duration silence, Duration lease, Path root) {
        if (!machine.equals(former.machine) || !address.equals(former.address)) {
            return false;
        }
        if (boot.equals(former.boot)) {
            return namespaces.equals(former.namespaces) && user.equals(former.user) && !runs(former, root);
        }
        // The machine has been restarted since. A sign of life after that came from another machine with the same id.
        Duration up = uptime(root);
        return namespaces.startsWith(FIRST_NAMESPACE)
                && former.namespaces.startsWith(FIRST_NAMESPACE)
                && up != null
                && silence.compareTo(up) > 0
                && silence.compareTo(lease) > 0;
    }

    private static boolean runs(ProcessPlace former, Path root) {
        Path process = root.resolve("proc").resolve(Long.toString(former.pid));
        try {
            String stat = read(process.resolve("stat"));
            return started(stat) == former.started && !hasEnded(stat, process);
        } catch (NoSuchFileException gone) {
            return false;
        } catch (IOException | RuntimeException unknown) {
            return true;
        }
    }

    /** Whether a process is a zombie: all its threads have ended, and its parent has not noticed yet. */
    private static boolean hasEnded(String stat, Path process) throws IOException {
        if (!fields(stat)[STATE].equals("Z")) {
            return false;
        }
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            return threads.count() <= 1;
        }
    }

    private static @Nullable Duration uptime(Path root) {
        try {
            String seconds = read(root.resolve("proc/uptime")).split(" ", 2)[0];
            return Duration.ofMillis((long) (Double.parseDouble(seconds) * 1000));
        } catch (IOException | RuntimeException unknown) {
            return null;
        }
    }

    private static long started(String stat) {
        return Long.parseLong(fields(stat)[STARTED]);
    }

    /** The name of the command may contain spaces and brackets. */
    private static String[] fields(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    /** The form in the node's report. */
    String text() {
        return String.join(" ", machine, boot, namespaces, user, Long.toString(pid), Long.toString(started), address);
    }

    /** Reads {@link #text()}; null if it is something else. */
    static @Nullable ProcessPlace parse(String text) {
        String[] parts = text.split(" ", PARTS);
        try {
            return new ProcessPlace(
                    parts[0],
                    parts[6],
                    parts[1],
                    parts[2],
                    parts[3],
                    Long.parseLong(parts[4]),
                    Long.parseLong(parts[5]));
        } catch (IndexOutOfBoundsException | NumberFormatException other) {
            return null;
        }
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    }

    /** Only a digest, because everyone who can read Redis sees it. */
    private static String digest(String id) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            byte[] digest = sha.digest(("hadir " + id).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
