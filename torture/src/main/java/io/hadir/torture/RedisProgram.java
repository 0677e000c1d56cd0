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
 * The Redis program that a run starts. With libfaketime it is the installed one, whose clock can be set while it runs.
 * Otherwise it is the one that comes with Hadir: it is linked statically, so nothing can change its clock.
 */
final class RedisProgram {
    private static final List<Path> LIBRARIES = List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"));
    private static final PathMatcher FAKETIME =
            FileSystems.getDefault().getPathMatcher("glob:**/faketime/libfaketime.so.1");
    private static final int DEPTH = 3;

    /** The second is the same program: Debian has it in {@code redis-tools}, which starts no service. */
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

    /** Copies the program into a folder. */
    static RedisProgram in(Path folder) throws IOException {
        Path clock = folder.resolve("clock");
        Path faketime = faketime();
        Path installed = installed();
        if (faketime == null || installed == null) {
            return new RedisProgram(EmbeddedRedis.unpack(folder), null, clock);
        }
        // The program is a server only under this name.
        Path server =
                Files.copy(installed.toRealPath(), folder.resolve("redis-server"), StandardCopyOption.COPY_ATTRIBUTES);
        RedisProgram program = new RedisProgram(server, faketime, clock);
        program.setClock(Duration.ZERO);
        return program;
    }

    /** Whether the clock of Redis can be set on this machine. */
    static boolean hasClock() {
        return faketime() != null && installed() != null;
    }

    /** Sets the clock of Redis ahead of the real time, or behind if negative. */
    void setClock(Duration ahead) throws IOException {
        Path next = clock.resolveSibling("clock.next");
        Files.writeString(next, "%+d\n".formatted(ahead.toSeconds()));
        Files.move(next, clock, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The command that starts it, without its flags. */
    List<String> command() {
        if (faketime == null) {
            return List.of(server.toString());
        }
        return List.of(
                "env",
                // Its own jemalloc asks for the time while it loads, and would wait forever.
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
                // An unreadable folder has none.
            }
        }
        return null;
    }
}
