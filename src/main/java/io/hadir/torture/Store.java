package io.hadir.torture;

import io.hadir.redis.EmbeddedRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The Redis of a run, which can be killed and comes back on the same port, with what it knew or without. */
final class Store implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final long POLL_MILLIS = 20;

    private final Path folder;
    private final Path server;
    private final int port;
    private Path data;
    private volatile Child process;

    Store(Path folder) throws IOException {
        this.folder = folder;
        server = EmbeddedRedis.unpack(folder);
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        data = Files.createTempDirectory(folder, "data");
        process = launch();
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    /** As {@code kill -STOP} and {@code kill -CONT}. */
    void freeze(boolean frozen) throws IOException {
        process.signal(frozen ? "STOP" : "CONT");
    }

    /** As {@code kill -9}. */
    void kill() throws IOException {
        process.kill();
        process.close();
    }

    /** Starts it again. */
    void startAgain(boolean empty) throws IOException {
        if (empty) {
            data = Files.createTempDirectory(folder, "data");
        }
        process = launch();
    }

    /** Every write is in the file before it is answered, so that a kill loses nothing; the disk need not have it. */
    private Child launch() throws IOException {
        Child started = Child.start(
                folder.resolve("redis.log"),
                List.of(
                        server.toString(),
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--dir",
                        data.toString(),
                        "--save",
                        "",
                        "--appendonly",
                        "yes",
                        "--appendfsync",
                        "no"));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!answers()) {
            if (System.nanoTime() > deadline || !started.isAlive()) {
                started.close();
                throw new IOException("Redis did not start: " + Files.readString(folder.resolve("redis.log")));
            }
            pause();
        }
        return started;
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            socket.setSoTimeout(500);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException notYet) {
            return false;
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
