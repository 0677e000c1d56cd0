package io.hadir.torture;

import io.hadir.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The Redis that a run starts. Where there is libfaketime, it is one of the machine, whose clock can be set while it runs;
 * else it is the one that comes with Hadir, which is linked statically, so that nothing can stand between it and the clock.
 */
final class RedisProgram {
    private static final List<Path> LIBRARIES = List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"));
    private static final PathMatcher FAKETIME =
            FileSystems.getDefault().getPathMatcher("glob:**/faketime/libfaketime.so.1");
    private static final int DEPTH = 3;

    /** Debian has the server under this name in {@code redis-tools} as well, which starts no service. */
    private static final List<Path> SERVERS =
            List.of(Path.of("/usr/bin/redis-server"), Path.of("/usr/bin/redis-check-rdb"));

    private final Path server;
    private final @Nullable Path faketime;
    private final Path clock;

    private RedisProgram(Path server, @Nullable Path faketime, Path clock) {
        this.server = server;
        this.faketime = faketime;
        this.clock = clock;
    }

    /** Puts the program into a folder. */
    static RedisProgram in(Path folder) throws IOException {
        Path clock = folder.resolve("clock");
        Path faketime = faketime();
        Path installed = installed();
        if (faketime == null || installed == null) {
            return new RedisProgram(EmbeddedRedis.unpack(folder), null, clock);
        }
        // It is the server only under the server's name.
        Path server =
                Files.copy(installed.toRealPath(), folder.resolve("redis-server"), StandardCopyOption.COPY_ATTRIBUTES);
        RedisProgram program = new RedisProgram(server, faketime, clock);
        program.setClock(Duration.ZERO);
        return program;
    }

    /** Whether a run on this machine can set the clock of its Redis. */
    static boolean hasClock() {
        return faketime() != null && installed() != null;
    }

    /** How far the clock of Redis is ahead from now on. */
    void setClock(Duration ahead) throws IOException {
        Path next = clock.resolveSibling("clock.next");
        Files.writeString(next, "%+d\n".formatted(ahead.toSeconds()));
        Files.move(next, clock, StandardCopyOption.ATOMIC_MOVE);
    }

    /** What is written in front of its flags to start it. */
    List<String> command() {
        if (faketime == null) {
            return List.of(server.toString());
        }
        return List.of(
                "env",
                // With jemalloc, which asks for the time itself, it would never get to its start.
                "LD_PRELOAD=" + faketime + " libc.so.6",
                "FAKETIME_TIMESTAMP_FILE=" + clock,
                "FAKETIME_NO_CACHE=1",
                "DONT_FAKE_MONOTONIC=1",
                server.toString());
    }

    private static @Nullable Path installed() {
        return SERVERS.stream().filter(Files::isExecutable).findFirst().orElse(null);
    }

    private static @Nullable Path faketime() {
        for (Path libraries : LIBRARIES) {
            try (Stream<Path> files = Files.find(libraries, DEPTH, (file, attributes) -> FAKETIME.matches(file))) {
                Path found = files.findFirst().orElse(null);
                if (found != null) {
                    return found;
                }
            } catch (IOException | RuntimeException unreadable) {
                // Then there is none here.
            }
        }
        return null;
    }
}
