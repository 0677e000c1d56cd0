package io.hadir.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server of a run: a process of its own, of the same program that this one is. */
final class NodeProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 50;
    private static final Pattern LISTENS = Pattern.compile("Listens on +127\\.0\\.0\\.1:(\\d+)");

    private final Child process;
    private final int port;

    private NodeProcess(Child process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts a server and waits until it listens. */
    static NodeProcess start(Path log, int redisPort, Terms terms) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-Dio.netty.leakDetection.level=disabled",
                "-cp",
                System.getProperty("java.class.path"),
                "io.hadir.server.Main",
                "--port=0",
                "--redis-url=redis://127.0.0.1:" + redisPort));
        command.addAll(terms.flags());
        Child process = Child.start(log, command);
        try {
            return new NodeProcess(process, port(process, log));
        } catch (IOException failed) {
            process.close();
            throw failed;
        }
    }

    private static int port(Child process, Path log) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            Matcher greeting = LISTENS.matcher(Files.exists(log) ? Files.readString(log) : "");
            if (greeting.find()) {
                return Integer.parseInt(greeting.group(1));
            }
            if (!process.isAlive()) {
                break;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        throw new IOException("a server did not start: " + Files.readString(log));
    }

    long pid() {
        return process.pid();
    }

    int port() {
        return port;
    }

    void kill() throws IOException {
        process.kill();
        process.close();
    }

    void freeze(boolean frozen) throws IOException {
        process.signal(frozen ? "STOP" : "CONT");
    }

    /** As {@code kill -TERM}; whether it ended in time. */
    boolean terminate() throws IOException {
        process.signal("TERM");
        boolean ended = process.awaitEnd();
        process.close();
        return ended;
    }

    @Override
    public void close() {
        process.close();
    }
}
