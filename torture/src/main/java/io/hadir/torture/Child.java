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
 * A process that does not outlive this one, however this one ends: a shell stands between, which waits for the end of a
 * pipe that only this process can write to.
 */
final class Child implements AutoCloseable {
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

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Process guard;
    private final long pid;

    private Child(Process guard, long pid) {
        this.guard = guard;
        this.pid = pid;
    }

    /** Starts a command; what it prints goes to the file. */
    static Child start(Path log, List<String> command) throws IOException {
        List<String> guarded = new ArrayList<>(List.of("/bin/sh", "-c", GUARD, "hadir-torture", log.toString()));
        guarded.addAll(command);
        Process guard = new ProcessBuilder(guarded)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader said = guard.inputReader(StandardCharsets.US_ASCII);
        String pid = said.readLine();
        if (pid == null) {
            throw new IOException("could not be started: " + command.get(0));
        }
        return new Child(guard, Long.parseLong(pid));
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
                    .waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** As {@code kill -9}; returns when it is over. */
    void kill() throws IOException {
        if (isAlive()) {
            signal("KILL");
            awaitEnd();
        }
    }

    /** Waits until it has ended by itself; false if it does not. */
    boolean awaitEnd() {
        try {
            return guard.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        try {
            guard.getOutputStream().close();
            guard.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException gone) {
            guard.destroyForcibly();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
