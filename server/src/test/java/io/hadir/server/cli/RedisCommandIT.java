package io.hadir.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code hadir redis} as a user types it. */
class RedisCommandIT {
    @Test
    void aClusterStartsPrintsHowToUseItAndStopsCleanly() throws Exception {
        List<String> said = startAndStop("--cluster");
        assertThat(said).anyMatch(line -> line.contains("./hadir --redis-url='redis-cluster://:"));
        assertThat(said).anyMatch(line -> line.strip().startsWith("Masters"));
    }

    /** Returns its output after the start; every process that it named has ended by then. */
    private static List<String> startAndStop(String engine) throws Exception {
        Process command = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        System.getProperty("hadir.jar"),
                        "redis",
                        engine)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> said = new ArrayList<>();
        List<ProcessHandle> started = new ArrayList<>();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(command.getInputStream(), UTF_8))) {
            String line = out.readLine();
            while (line != null && !line.contains("Ctrl-C")) {
                said.add(line);
                Matcher pid = Pattern.compile("\\(pid (\\d+)\\)").matcher(line);
                while (pid.find()) {
                    started.add(ProcessHandle.of(Long.parseLong(pid.group(1))).orElseThrow());
                }
                line = out.readLine();
            }
            assertThat(started).as(String.join("\n", said)).hasSize(6).allMatch(ProcessHandle::isAlive);
            Matcher inside = Pattern.compile("-u (redis://\\S+)").matcher(String.join("\n", said));
            assertThat(inside.find()).isTrue();
            try (RedisClient client = RedisClient.create(RedisURI.create(inside.group(1)))) {
                assertThat(client.connect().sync().ping()).isEqualTo("PONG");
            }
            // Sends SIGTERM, because background processes ignore the SIGINT of Ctrl-C.
            command.destroy();
            assertThat(command.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(command.exitValue()).isZero();
        } finally {
            command.destroyForcibly();
        }
        await().until(() -> started.stream().noneMatch(ProcessHandle::isAlive));
        return said;
    }
}
