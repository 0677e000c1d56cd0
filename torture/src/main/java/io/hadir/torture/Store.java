package io.hadir.torture;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The Redis of a run. It can be killed and comes back on the same port, with what it knew, with what it knew once, or with
 * nothing; a replica can take its place, on another port; and its clock can be set where the machine allows.
 */
public final class Store implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final long POLL_MILLIS = 20;

    private final Path folder;
    private final RedisProgram program;
    private volatile int port;
    private volatile Path data;
    private volatile Child process;

    /** Starts a Redis that keeps its files in a folder, without a password. */
    public Store(Path folder) throws IOException {
        this.folder = folder;
        program = RedisProgram.in(folder);
        port = freePort();
        data = Files.createTempDirectory(folder, "data");
        process = launch(port, data, List.of());
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /** Whether the clock of a Redis can be set on this machine. */
    public static boolean hasClock() {
        return RedisProgram.hasClock();
    }

    /** Sets its clock ahead, or behind, by so much from now on. */
    public void setClock(Duration ahead) throws IOException {
        program.setClock(ahead);
    }

    /** Where it is now. */
    public int port() {
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
    public void kill() throws IOException {
        process.kill();
        process.close();
    }

    /** Starts it again with what it knew. */
    void startAgain() throws IOException {
        process = launch(port, data, List.of());
    }

    void startEmpty() throws IOException {
        data = Files.createTempDirectory(folder, "data");
        startAgain();
    }

    /** A copy of what it knows now, as a backup is. */
    public Path copy() throws IOException {
        Path copy = Files.createTempDirectory(folder, "copy");
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.toList()) {
                Path to = copy.resolve(data.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        return copy;
    }

    /** Starts it again with what it knew when the copy was made. */
    public void startFrom(Path copy) throws IOException {
        data = copy;
        startAgain();
    }

    /** A replica that takes the place of the primary, and has not heard of everything. */
    final class Replica implements AutoCloseable {
        private final Link link;
        private final int own;
        private final Path files;
        private final Child running;

        private Replica(Link link) throws IOException {
            this.link = link;
            own = freePort();
            files = Files.createTempDirectory(folder, "replica");
            running = launch(
                    own, files, List.of("--replicaof", "127.0.0.1 " + link.port(), "--repl-diskless-sync-delay", "0"));
            await("a replica knows everything, and its file, too", () -> {
                String info = ask(own, "INFO");
                return info.contains("master_link_status:up")
                        && info.contains("aof_rewrite_in_progress:0")
                        && info.contains("aof_rewrite_scheduled:0");
            });
        }

        /** From now on it hears nothing more. */
        void lag() {
            link.freeze().join();
        }

        /** It takes the place of the primary, which is dead. */
        void takeOver() throws IOException {
            ask(own, "REPLICAOF NO ONE");
            port = own;
            data = files;
            process = running;
        }

        @Override
        public void close() {
            link.close();
            if (process != running) {
                running.close();
            }
        }
    }

    /** Starts a replica over a link to this Redis, and waits until it knows everything. */
    Replica replica(EventLoopGroup loop) throws IOException {
        return new Replica(new Link(loop, port));
    }

    /** Every write is in the file before it is answered, so that a kill loses nothing; the disk need not have it. */
    private Child launch(int at, Path files, List<String> more) throws IOException {
        List<String> command = new ArrayList<>(program.command());
        command.addAll(List.of("--port", Integer.toString(at), "--bind", "127.0.0.1"));
        command.addAll(List.of("--dir", files.toString(), "--save", "", "--appendonly", "yes", "--appendfsync", "no"));
        command.addAll(more);
        Child started = Child.start(log(at), command);
        try {
            await("Redis starts", () -> {
                if (!started.isAlive()) {
                    throw new IOException("Redis did not start: " + Files.readString(log(at)));
                }
                return ask(at, "PING").contains("PONG");
            });
        } catch (IOException failed) {
            started.close();
            throw failed;
        }
        return started;
    }

    private Path log(int at) {
        return folder.resolve("redis-" + at + ".log");
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(String what, Condition condition) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new IOException("took longer than " + PATIENCE.toSeconds() + " s: " + what);
            }
            pause();
        }
    }

    /** What it answers to a command without spaces in its arguments; nothing if it does not. */
    private static String ask(int at, String command) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), at), 500);
            socket.setSoTimeout(500);
            socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException notYet) {
            return "";
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
