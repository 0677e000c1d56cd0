package io.hadir.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The real Redis that comes with Hadir, on a free loopback port, with a random password and without persistence. It
 * ends when it is closed or this process ends, however that happens.
 *
 * <p>A shell guards it. The shell waits for the end of a pipe that only this process can write to; the kernel closes
 * that pipe even after {@code kill -9}. Then the shell kills Redis and deletes its files. Ctrl-C in a terminal reaches
 * every process there: the shell ignores it and Redis runs in a session of its own, so the server can still use Redis
 * while it shuts down.
 */
public final class EmbeddedRedis implements AutoCloseable {
    private static final String GUARD = """
            trap '' INT TERM HUP
            exec 3<&0
            directory=$1
            shift
            if command -v setsid >/dev/null 2>&1; then
              setsid "$@" </dev/null &
            elif command -v perl >/dev/null 2>&1; then
              perl -e 'use POSIX; POSIX::setsid(); exec @ARGV' "$@" </dev/null &
            else
              "$@" </dev/null &
            fi
            redis=$!
            (cat <&3 >/dev/null; kill -9 $redis 2>/dev/null) &
            wait $redis
            rm -rf "$directory"
            """;

    private static final int ATTEMPTS = 5;
    private static final long START_MILLIS = 10_000;
    private static final long POLL_MILLIS = 10;
    private static final long CLOSE_SECONDS = 5;

    private final Process guard;
    private final Path directory;
    private final int port;
    private final String password;

    /**
     * How to start a Redis.
     *
     * @param password empty for a sentinel, whose clients send none
     * @param lines more lines for its configuration, computed for each attempt
     */
    public record Role(String password, boolean sentinel, Supplier<List<String>> lines) {}

    private EmbeddedRedis(Process guard, Path directory, int port, String password) {
        this.guard = guard;
        this.directory = directory;
        this.port = port;
        this.password = password;
    }

    /**
     * Starts a Redis and waits until it answers.
     *
     * @throws IOException if it does not start; the message says what to do
     */
    public static EmbeddedRedis start() throws IOException {
        return start(List.of());
    }

    /** Starts a Redis with more lines in its configuration. */
    public static EmbeddedRedis start(List<String> more) throws IOException {
        return start(new Role(randomText(), false, () -> more));
    }

    public static EmbeddedRedis start(Role role) throws IOException {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            EmbeddedRedis redis = launch(role);
            if (redis.answersInTime()) {
                return redis;
            }
            // Another process may have taken the port in between.
            redis.close();
        }
        throw new IOException("the Redis that comes with Hadir did not start (expected: --redis-url)");
    }

    public int port() {
        return port;
    }

    public String password() {
        return password;
    }

    public String url() {
        return "redis://" + (password.isEmpty() ? "" : ":" + password + "@") + address();
    }

    /** Host and port. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** The folder of its files, which exists while it runs. */
    Path directory() {
        return directory;
    }

    /** Its configuration file, with the password; only this user can read it. */
    public Path config() {
        return directory.resolve("redis.conf");
    }

    /** The process of Redis itself, not of the shell that guards it. */
    public ProcessHandle process() throws IOException {
        String pid = Files.readString(directory.resolve("redis.pid")).strip();
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    /** Puts the program into a folder, for callers that start it themselves. */
    public static Path unpack(Path directory) throws IOException {
        return RedisProgram.unpack(directory);
    }

    private static EmbeddedRedis launch(Role role) throws IOException {
        Path directory = Files.createTempDirectory("hadir-redis-", ownerOnly("rwx------"));
        Path server = RedisProgram.unpack(directory);
        int port = freePort();
        Path config = Files.createFile(directory.resolve("redis.conf"), ownerOnly("rw-------"));
        Files.write(config, config(port, role, directory));
        List<String> command = new ArrayList<>(List.of(
                "/bin/sh", "-c", GUARD, "hadir-redis", directory.toString(), server.toString(), config.toString()));
        if (role.sentinel) {
            command.add("--sentinel");
        }
        Process guard = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new EmbeddedRedis(guard, directory, port, role.password);
    }

    public static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static FileAttribute<?> ownerOnly(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    private static List<String> config(int port, Role role, Path directory) {
        List<String> lines = new ArrayList<>(List.of(
                "bind 127.0.0.1",
                "port " + port,
                "requirepass \"" + role.password + "\"",
                "dir \"" + directory + "\"",
                "pidfile \"" + directory.resolve("redis.pid") + "\"",
                "daemonize no",
                "save \"\"",
                "appendonly no",
                "maxmemory-policy noeviction"));
        lines.addAll(role.lines.get());
        return lines;
    }

    static String randomText() {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private boolean answersInTime() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MILLIS);
        while (System.nanoTime() < deadline && guard.isAlive()) {
            if (answers()) {
                return true;
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while Redis was starting", interrupted);
            }
        }
        return false;
    }

    /** Whether the Redis started here answers, and not another one: only it knows the password, or has this folder. */
    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            socket.setSoTimeout(500);
            String question = password.isEmpty() ? "INFO server" : "AUTH " + password;
            String expected = password.isEmpty() ? directory.toString() : "+OK";
            socket.getOutputStream().write((question + "\r\n").getBytes(StandardCharsets.US_ASCII));
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String line = answer.readLine();
            while (line != null && !line.startsWith("-") && !line.contains(expected)) {
                line = answer.readLine();
            }
            return line != null && line.contains(expected);
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Kills Redis and waits until its files are deleted. */
    @Override
    public void close() {
        try {
            guard.getOutputStream().close();
            guard.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (IOException gone) {
            guard.destroyForcibly();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
