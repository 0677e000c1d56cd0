package io.hadir.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that never outlives this one, however this one ends. A shell between them waits for the end of a pipe that
 * only this process can write to, and then kills the child.
 */
final class ChildProcess implements AutoCloseable {
    private static final String GUARD = """
            trap '' INT TERM HUP
            exec 3<&0
            log=$1
            shift
            (trap - INT TERM HUP; exec "$@" </dev/null >"$log" 2>&1 3<&-) &
            child=$!
            echo $child
            (cat <&3 >/dev/null; kill -9 $child 2>/dev/null) >/dev/null &
            exec 3<&-
            wait $child
            """;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Process guard;
    private final long pid;

    private ChildProcess(Process guard, long pid) {
        this.guard = guard;
        this.pid = pid;
    }

    /** Starts a command and sends its output to a file. */
    static ChildProcess start(Path log, List<String> command) throws IOException {
        List<String> guarded = new ArrayList<>(List.of("/bin/sh", "-c", GUARD, "hadir-torture", log.toString()));
        guarded.addAll(command);
        Process guard = new ProcessBuilder(guarded)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader output = guard.inputReader(StandardCharsets.US_ASCII);
        String pid = output.readLine();
        if (pid == null) {
            throw new IOException("could not start " + command.get(0));
        }
        return new ChildProcess(guard, Long.parseLong(pid));
    }

    long pid() {
        return pid;
    }

    boolean isAlive() {
        return guard.isAlive();
    }

    /** As {@code kill -NAME}. */
    void signal(String name) throws IOException {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** As {@code kill -9}; returns when it has ended. */
    void kill() throws IOException {
        if (isAlive()) {
            signal("KILL");
            awaitEnd();
        }
    }

    /** Waits until it ends by itself; false if it does not in time. */
    boolean awaitEnd() {
        try {
            return guard.waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        try {
            guard.getOutputStream().close();
            guard.waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException gone) {
            guard.destroyForcibly();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
