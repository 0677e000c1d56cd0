package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** One user takes all they can get while others work. */
class GreedyUserIT {
    private static final int ROOM = 800;
    private static final int SOCKETS = 20;
    private static final int JOINS = 41;

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder = Path.of("");

    private final AtomicInteger lists = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();

    @Test
    void a52_aUserWhoListsALargeRoomOnTwentySocketsDoesNotSlowTheJoinsOfOthers() throws Exception {
        ExecutorService greedy = Executors.newFixedThreadPool(SOCKETS);
        try (HadirProcess server =
                HadirProcess.start(folder, REDIS.url(), "--events-per-second=50", "--heartbeat-seconds=25")) {
            List<Guest> crowd = Guest.crowd(server.port(), "u", ROOM, "large");
            Duration quiet = medianJoin(server);
            long start = System.nanoTime();
            for (int i = 0; i < SOCKETS; i++) {
                greedy.execute(() -> list(server.port()));
            }
            await().until(() -> refusals.get() > 0 || lists.get() > 1_000);
            Duration attacked = medianJoin(server);
            double seconds = (System.nanoTime() - start) / 1e9;

            System.err.printf(
                    "a join took %d ms, and %d ms while one user listed %.0f times a second and was refused %.0f times%n",
                    quiet.toMillis(), attacked.toMillis(), lists.get() / seconds, refusals.get() / seconds);
            assertThat(attacked).isLessThan(quiet.plusMillis(200));
            assertThat(lists.get()).isLessThan((int) (40 + 20 * seconds + SOCKETS));
            assertThat(crowd).noneMatch(Guest::isGone);
        } finally {
            greedy.shutdownNow();
        }
    }

    /** Lists again after every answer, and reconnects after every close, until interrupted. */
    private void list(int port) {
        while (!Thread.currentThread().isInterrupted()) {
            try (Guest guest = Guest.connect(port, "greedy")) {
                while (!Thread.currentThread().isInterrupted() && !guest.isGone()) {
                    JsonNode answer = guest.send("room:participants", "{\"roomId\":\"large\",\"limit\":1000}")
                            .join();
                    (answer.path("ok").asBoolean() ? lists : refusals).incrementAndGet();
                }
            } catch (CompletionException closed) {
                refusals.incrementAndGet();
            }
        }
    }

    private static Duration medianJoin(HadirProcess server) {
        List<Long> nanos = new ArrayList<>();
        try (Guest other = Guest.connect(server.port(), "other")) {
            for (int i = 0; i < JOINS; i++) {
                long start = System.nanoTime();
                assertThat(other.join("small").path("ok").asBoolean()).isTrue();
                nanos.add(System.nanoTime() - start);
                other.ask("leave_room", "small").orTimeout(5, TimeUnit.SECONDS).join();
            }
        }
        return Duration.ofNanos(nanos.stream().sorted().toList().get(JOINS / 2));
    }
}
