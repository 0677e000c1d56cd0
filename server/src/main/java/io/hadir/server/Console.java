package io.hadir.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/**
 * The server's standard output and error. Nobody may be reading these pipes, which must not stop the server: it drops
 * and counts lines, including the log's, that it cannot write.
 */
final class Console {
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(1);

    private static final DroppingOutput OUT =
            new DroppingOutput(new FileOutputStream(FileDescriptor.out), "hadir-stdout", Console::resumed);
    private static final DroppingOutput ERR =
            new DroppingOutput(new FileOutputStream(FileDescriptor.err), "hadir-stderr", Console::resumed);

    private Console() {}

    /** Replaces {@link System#out} and {@link System#err}. */
    static void install() {
        System.setOut(new PrintStream(OUT, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(ERR, true, StandardCharsets.UTF_8));
    }

    private static void resumed(long lines) {
        LoggerFactory.getLogger(Console.class).warn("Lines dropped because nobody read them: {}", lines);
    }

    /** The number of lines dropped so far. */
    static long dropped() {
        return OUT.dropped() + ERR.dropped();
    }

    /** Waits up to a second each until everything is written. */
    static void drain() {
        OUT.drain(DRAIN_TIMEOUT);
        ERR.drain(DRAIN_TIMEOUT);
    }
}
