package io.hadir.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/**
 * Standard output and error of a server. They may be pipes that nobody reads, and must not stop it: all that is written
 * through {@link System#out} and {@link System#err}, the log included, is dropped and counted when it cannot be written.
 */
final class Console {
    private static final Duration LAST_LINES = Duration.ofSeconds(1);

    private static final DroppingOutput OUT =
            new DroppingOutput(new FileOutputStream(FileDescriptor.out), "hadir-stdout", Console::resumed);
    private static final DroppingOutput ERR =
            new DroppingOutput(new FileOutputStream(FileDescriptor.err), "hadir-stderr", Console::resumed);

    private Console() {}

    /** Puts both in the place of the process's own streams. */
    static void install() {
        System.setOut(new PrintStream(OUT, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(ERR, true, StandardCharsets.UTF_8));
    }

    private static void resumed(long lines) {
        LoggerFactory.getLogger(Console.class).warn("Lines dropped because nobody read them: {}", lines);
    }

    /** How many lines were dropped so far. */
    static long dropped() {
        return OUT.dropped() + ERR.dropped();
    }

    /** Gives the last lines a moment to get out. */
    static void drain() {
        OUT.drain(LAST_LINES);
        ERR.drain(LAST_LINES);
    }
}
