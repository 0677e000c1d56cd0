package io.hadir.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One server of a run, in its own process, with the links from its clients and to Redis. It may be down. */
final class Node implements AutoCloseable {
    private static final Duration STARTUP = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 50;
    private static final Pattern LISTENS = Pattern.compile("Listens on +127\\.0\\.0\\.1:(\\d+)");

    final int number;
    final Link clients;
    final Link redis;
    /** Whether a fault of this server is active. */
    final AtomicBoolean broken = new AtomicBoolean();

    private final Path folder;
    private final ServerSettings settings;
    private int starts;
    private volatile @Nullable Server server;

    private record Server(ChildProcess process, int port) {}

    Node(int number, Link clients, Link redis, Path folder, ServerSettings settings) {
        this.number = number;
        this.clients = clients;
        this.redis = redis;
        this.folder = folder;
        this.settings = settings;
    }

    /** Starts the server and waits until it listens. */
    void start() throws IOException {
        starts++;
        Path log = folder.resolve("server-" + number + "." + starts + ".log");
        ChildProcess process = ChildProcess.start(log, command());
        try {
            int port = awaitPort(process, log, LISTENS);
            clients.leadTo(port);
            server = new Server(process, port);
        } catch (IOException failed) {
            process.close();
            throw failed;
        }
    }

    private List<String> command() {
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
                "--redis-url=redis://127.0.0.1:" + redis.port()));
        command.addAll(settings.flags());
        return command;
    }

    /** Waits until a process has written to its log which port it listens on. */
    static int awaitPort(ChildProcess process, Path log, Pattern listens) throws IOException {
        long deadline = System.nanoTime() + STARTUP.toNanos();
        while (System.nanoTime() < deadline) {
            Matcher banner = listens.matcher(Files.exists(log) ? Files.readString(log) : "");
            if (banner.find()) {
                return Integer.parseInt(banner.group(1));
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
        throw new IOException("a process did not start: " + Files.readString(log));
    }

    /** The port of the server itself, 0 if it is down. */
    int port() {
        Server running = server;
        return running == null ? 0 : running.port;
    }

    /** The process id, 0 if it is down. */
    long pid() {
        Server running = server;
        return running == null ? 0 : running.process.pid();
    }

    /** As {@code kill -9}. */
    void kill() throws IOException {
        Server running = server;
        server = null;
        if (running != null) {
            running.process.kill();
            running.process.close();
        }
    }

    /** As {@code kill -TERM}; whether it ended in time. */
    boolean terminate() throws IOException {
        Server running = server;
        server = null;
        if (running == null) {
            return true;
        }
        running.process.signal("TERM");
        boolean ended = running.process.awaitEnd();
        running.process.close();
        return ended;
    }

    /** As {@code kill -STOP} and {@code kill -CONT}. */
    void freeze(boolean frozen) throws IOException {
        Server running = server;
        if (running != null) {
            running.process.signal(frozen ? "STOP" : "CONT");
        }
    }

    @Override
    public void close() {
        Server running = server;
        if (running != null) {
            running.process.close();
        }
        clients.close();
        redis.close();
    }
}
