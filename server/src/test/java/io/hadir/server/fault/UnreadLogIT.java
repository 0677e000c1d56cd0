package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.TestRedis;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose standard output or error is a full pipe that nobody reads. */
class UnreadLogIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final Duration END = Duration.ofSeconds(10);
    private static final Pattern DROPPED = Pattern.compile("(?m)^hadir_log_lines_dropped_total (\\S+)");

    @TempDir
    Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = {"2>&9", "1>&9", "1>&9 2>&9"})
    void f57_theServerWorksAndStopsInTimeWhenNobodyReadsItsOutput(String redirection) throws Exception {
        try (HadirProcess server = start(redirection).awaitReady()) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            Guest budi = Guest.join(server.port(), "budi", "r");
            await().until(() -> adi.joined().contains("budi"));
            budi.ask("leave_room", "r").join();
            await().until(() -> adi.left().equals(List.of("budi left")));
            assertThat(adi.heartbeat("r").path("ok").asBoolean()).isTrue();
            if (redirection.contains("2>")) {
                assertThat(dropped(server)).isPositive();
            }
            assertThat(server.terminate(END)).isZero();
        }
    }

    @Test
    void f57_whenTheLogIsReadAgainOneLineSaysHowManyWereDropped() throws Exception {
        try (HadirProcess server = start("2>&9").awaitReady()) {
            assertThat(dropped(server)).isPositive();
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> read(read));

            await().atMost(Guest.PATIENCE).until(() -> text(read).contains("Lines dropped"));
            long dropped = dropped(server);
            assertThat(server.terminate(END)).isZero();
            reading.join();

            String log = text(read);
            assertThat(log.lines().filter(line -> line.contains("Lines dropped")))
                    .singleElement()
                    .asString()
                    .contains("WARN  Console Lines dropped because nobody read them: " + dropped);
            assertThat(log).contains("Stopping; open sessions: 0").endsWith("Stopped\n");
        }
    }

    /** Starts a server with a full pipe and more warnings than it keeps. */
    private HadirProcess start(String redirection) throws IOException {
        List<String> wrapper = new ArrayList<>(List.of("env"));
        for (char name = 'A'; name < 'K'; name++) {
            wrapper.add("HADIR_" + String.valueOf(name).repeat(40_000) + "=ignored");
        }
        wrapper.addAll(List.of(
                "sh",
                "-c",
                "mkfifo $0; exec 9<>$0; (head -c 200000 /dev/zero >$0 9>&- 2>/dev/null &); exec \"$@\" " + redirection,
                pipe().toString()));
        return HadirProcess.startUnder(wrapper, folder, REDIS.url());
    }

    private Path pipe() {
        return folder.resolve("pipe");
    }

    private static String text(ByteArrayOutputStream read) {
        return read.toString(StandardCharsets.US_ASCII);
    }

    private void read(ByteArrayOutputStream read) {
        try (InputStream in = Files.newInputStream(pipe())) {
            in.transferTo(read);
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static long dropped(HadirProcess server) throws IOException, InterruptedException {
        Matcher found = DROPPED.matcher(server.get("/metrics"));
        assertThat(found.find()).isTrue();
        return (long) Double.parseDouble(found.group(1));
    }
}
