package io.hadir.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class EmbeddedRedisIT {
    @Test
    void answersOnlyWithItsPassword() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RedisClient client = RedisClient.create(redis.url());
                RedisClient stranger = RedisClient.create("redis://127.0.0.1:" + redis.port())) {
            assertThat(client.connect().sync().ping()).isEqualTo("PONG");
            assertThatThrownBy(() -> stranger.connect().sync().ping())
                    .rootCause()
                    .hasMessageContaining("NOAUTH");
        }
    }

    @Test
    void itsPasswordIsNotInTheProcessListAndItsFilesArePrivate() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            String processes = output("ps", "-ef");
            assertThat(processes).contains("redis-server").doesNotContain(redis.password());
            assertThat(Files.getPosixFilePermissions(redis.directory()).toString())
                    .doesNotContain("GROUP", "OTHERS");
            assertThat(Files.getPosixFilePermissions(redis.directory().resolve("redis.conf"))
                            .toString())
                    .doesNotContain("GROUP", "OTHERS");
        }
    }

    @Test
    void persistsNothing() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RedisClient client = RedisClient.create(redis.url())) {
            assertThat(client.connect().sync().configGet("save")).containsEntry("save", "");
            assertThat(client.connect().sync().configGet("appendonly")).containsEntry("appendonly", "no");
        }
    }

    @Test
    void closingItEndsItsProcessAndDeletesItsFiles() throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        ProcessHandle process = redis.process();
        redis.close();
        await().until(() -> !process.isAlive());
        assertThat(redis.directory()).doesNotExist();
    }

    @Test
    void signalsToTheGroupOfTheServerDoNotEndIt() throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        ProcessHandle process = redis.process();
        ProcessHandle guard = process.parent().orElseThrow();
        output("kill", "-INT", String.valueOf(guard.pid()));
        output("kill", "-TERM", String.valueOf(guard.pid()));
        assertThat(output("ps", "-o", "pgid=", "-p", String.valueOf(process.pid()))
                        .strip())
                .isNotEqualTo(output("ps", "-o", "pgid=", "-p", String.valueOf(guard.pid()))
                        .strip());
        try (RedisClient client = RedisClient.create(redis.url())) {
            assertThat(client.connect().sync().ping()).isEqualTo("PONG");
        }
        redis.close();
        assertThat(process.isAlive()).isFalse();
        assertThat(redis.directory()).doesNotExist();
    }

    @Test
    void endsWhenItsParentIsKilled() throws IOException {
        Process parent = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String[] line = new String(parent.getInputStream().readNBytes(200), StandardCharsets.UTF_8)
                .strip()
                .split(" ", -1);
        ProcessHandle redis = ProcessHandle.of(Long.parseLong(line[0])).orElseThrow();

        parent.destroyForcibly();

        await().until(() -> !redis.isAlive());
        await().until(() -> Files.notExists(Path.of(line[1])));
    }

    private static String output(String... command) throws IOException {
        Process process = new ProcessBuilder(command).start();
        try (InputStream out = process.getInputStream()) {
            return new String(out.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Starts a Redis, prints its process and folder, padded to the length that the test reads, and waits to be
     * killed.
     */
    static final class Parent {
        private Parent() {}

        public static void main(String[] args) throws Exception {
            EmbeddedRedis redis = EmbeddedRedis.start();
            System.out.printf("%-200s", redis.process().pid() + " " + redis.directory());
            System.out.flush();
            Thread.currentThread().join();
        }
    }
}
