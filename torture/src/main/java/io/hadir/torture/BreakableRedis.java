package io.hadir.torture;

import io.hadir.embedded.EmbeddedRedis;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
 * A Redis that can break. It can be killed and restarted on the same port with its data, with older data, or empty. A
 * lagging replica can replace it on another port. Its clock can be set if the machine has libfaketime.
 */
public final class BreakableRedis implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final long POLL_MILLIS = 20;

    private final Path folder;
    private final RedisProgram program;
    private volatile int port;
    private volatile Path data;
    private volatile ChildProcess process;

    /** Starts a Redis without a password that keeps its files in the folder. */
    public BreakableRedis(Path folder) throws IOException {
        this.folder = folder;
        program = RedisProgram.in(folder);
        port = EmbeddedRedis.freePort();
        data = Files.createTempDirectory(folder, "data");
        process = launch(port, data, List.of());
    }

    /** Whether the clock of a Redis can be set on this machine. */
    public static boolean hasClock() {
        return RedisProgram.hasClock();
    }

    /** Sets its clock ahead of the real time, or behind if negative. */
    public void setClock(Duration ahead) throws IOException {
        program.setClock(ahead);
    }

    /** Its port, which changes when a replica takes over. */
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

    /** Starts it again with its data. */
    void startAgain() throws IOException {
        process = launch(port, data, List.of());
    }

    void startEmpty() throws IOException {
        data = Files.createTempDirectory(folder, "data");
        startAgain();
    }

    /** Copies its data as it is now. */
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

    /** Starts it again with the data of a copy. */
    public void startFrom(Path copy) throws IOException {
        data = copy;
        startAgain();
    }

    /** A replica that can lag and then take over. */
    final class Replica implements AutoCloseable {
        private final Link link;
        private final int own;
        private final Path files;
        private final ChildProcess running;

        private Replica(Link link) throws IOException {
            this.link = link;
            own = EmbeddedRedis.freePort();
            files = Files.createTempDirectory(folder, "replica");
            running = launch(
                    own, files, List.of("--replicaof", "127.0.0.1 " + link.port(), "--repl-diskless-sync-delay", "0"));
            await("a replica and its file are complete", () -> {
                String info = ask(own, "INFO");
                return info.contains("master_link_status:up")
                        && info.contains("aof_rewrite_in_progress:0")
                        && info.contains("aof_rewrite_scheduled:0");
            });
        }

        /** The replica receives nothing more. */
        void lag() {
            link.freeze().join();
        }

        /** The replica replaces the primary, which is dead. */
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

    /** Starts a replica and waits until it has all data. */
    Replica replica(EventLoopGroup loop) throws IOException {
        return new Replica(new Link(loop, port));
    }

    /** Redis hands every write to the kernel before it answers, so a kill loses nothing; the disk need not have it. */
    private ChildProcess launch(int at, Path files, List<String> more) throws IOException {
        List<String> command = new ArrayList<>(program.command());
        command.addAll(List.of("--port", Integer.toString(at), "--bind", "127.0.0.1"));
        command.addAll(List.of("--dir", files.toString(), "--save", "", "--appendonly", "yes", "--appendfsync", "no"));
        command.addAll(more);
        ChildProcess started = ChildProcess.start(log(at), command);
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

    /** The answer to a command whose arguments have no spaces; empty if there is none. */
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
