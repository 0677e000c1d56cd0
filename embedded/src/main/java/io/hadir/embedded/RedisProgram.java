package io.hadir.embedded;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The program to start as Redis: the first that exists of the one that {@value #PROPERTY} names, the Valkey in a
 * release's jar, an installed Valkey or Redis (which the system keeps up to date), and the Redis in every build's jar.
 */
final class RedisProgram {
    /** The system property with the path of a program to use instead of any other. */
    static final String PROPERTY = "hadir.redis.server";

    private static final List<String> INSTALLED = List.of("valkey-server", "redis-server");
    private static final Pattern MAJOR = Pattern.compile("v=([0-9]{1,4})\\.");
    private static final int OLDEST_MAJOR = 7;
    private static final long VERSION_SECONDS = 5;

    /** Searched only once, because learning a version takes a process. */
    private static final class Installed {
        static final Optional<Path> PROGRAM = installed(System.getenv().getOrDefault("PATH", ""));

        private Installed() {}
    }

    private RedisProgram() {}

    /** Puts the program into a folder under the name {@code redis-server}, as a copy or a link. */
    static Path unpack(Path directory) throws IOException {
        Path server = directory.resolve("redis-server");
        String named = System.getProperty(PROPERTY, "");
        if (!named.isEmpty()) {
            return link(server, Path.of(named).toAbsolutePath());
        }
        String platform = platform(System.getProperty("os.name"), System.getProperty("os.arch"));
        if (copied("/redis-server-" + platform, server)) {
            return server;
        }
        Optional<Path> program = Installed.PROGRAM;
        if (program.isPresent()) {
            return link(server, program.get());
        }
        if (platform.isEmpty()) {
            throw new IOException(
                    "no Redis comes with Hadir for " + System.getProperty("os.name") + " on "
                            + System.getProperty("os.arch")
                            + " (expected: --redis-url, an installed Valkey or Redis 7 or later, or Linux or macOS on x86-64 or ARM)");
        }
        if (!copied("/redis-server-7.0.15-" + platform, server)) {
            throw new IOException("the Redis that comes with Hadir is missing (expected: --redis-url)");
        }
        return server;
    }

    /** The platform in the names of programs; empty if there are none for it. */
    static String platform(String os, String architecture) {
        String system = os.toLowerCase(Locale.ROOT);
        String name = system.startsWith("linux") ? "linux" : system.startsWith("mac") ? "darwin" : "";
        String machine = switch (architecture.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default -> "";
        };
        return name.isEmpty() || machine.isEmpty() ? "" : name + "-" + machine;
    }

    /** A link instead of a copy: the folder may be on a file system that forbids programs. */
    private static Path link(Path server, Path program) throws IOException {
        if (!Files.isExecutable(program)) {
            throw new IOException("no program at " + program + " (expected: --redis-url, or a Redis to start)");
        }
        return Files.createSymbolicLink(server, program);
    }

    private static boolean copied(String resource, Path server) throws IOException {
        try (InputStream in = RedisProgram.class.getResourceAsStream(resource)) {
            if (in == null) {
                return false;
            }
            Files.copy(in, server);
        }
        Files.setPosixFilePermissions(server, PosixFilePermissions.fromString("rwx------"));
        return true;
    }

    /** The first program in a path that is new enough. */
    static Optional<Path> installed(String path) {
        return INSTALLED.stream()
                .flatMap(name -> Stream.of(path.split(File.pathSeparator))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> Path.of(folder, name).toAbsolutePath()))
                .filter(program -> Files.isExecutable(program) && !Files.isDirectory(program))
                .filter(RedisProgram::isNewEnough)
                .findFirst();
    }

    private static boolean isNewEnough(Path program) {
        try {
            Process asked = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            asked.getOutputStream().close();
            boolean ended = asked.waitFor(VERSION_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                asked.destroyForcibly();
                return false;
            }
            Matcher version =
                    MAJOR.matcher(new String(asked.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
            return version.find() && Integer.parseInt(version.group(1)) >= OLDEST_MAJOR;
        } catch (IOException notAProgram) {
            return false;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
