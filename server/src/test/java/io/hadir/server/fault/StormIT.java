package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class StormIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final int ROOM = 1000;
    private static final int CLIENTS = 2000;
    private static final int TRIES = 20;

    @TempDir
    Path folder = Path.of("");

    @Test
    void f44_aThousandUsersWhoJoinAtOnceAllSeeTheRightCountAfterAFewMessages() throws Exception {
        try (HadirProcess server =
                HadirProcess.start(folder, REDIS.url(), "--grace-seconds=15", "--lease-seconds=15")) {
            List<Guest> guests = connect(server, ROOM);
            comeIn(guests, guest -> "r");

            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(guests)
                            .allSatisfy(guest -> assertThat(guest.viewerCount()).isEqualTo(ROOM)));
            long sent = guests.stream().mapToLong(Guest::news).sum();
            assertThat(sent).isLessThanOrEqualTo((long) ROOM * ROOM * 5 / 100);
            assertThat(guests)
                    .allMatch(guest -> !guest.isGone() && guest.forceLeaves().isEmpty());
            assertThat(guests.get(0).list("r")).hasSize(ROOM).doesNotHaveDuplicates();
        }
    }

    @Test
    void f11_whenAllReconnectAtOnceAfterARestartAllReturnAndRedisStaysResponsive() throws Exception {
        try (HadirProcess before =
                HadirProcess.start(folder, REDIS.url(), "--grace-seconds=15", "--lease-seconds=15")) {
            comeIn(connect(before, CLIENTS), StormIT::room);
            assertThat(before.terminate(Duration.ofSeconds(15))).isZero();
        }
        try (HadirProcess again = HadirProcess.start(folder, REDIS.url(), "--grace-seconds=15", "--lease-seconds=15")) {
            List<Guest> guests = connect(again, CLIENTS);
            List<CompletableFuture<Guest>> coming = guests.stream()
                    .map(guest -> guest.comeIn(room(guest), TRIES))
                    .toList();
            CompletableFuture<Void> all = CompletableFuture.allOf(coming.toArray(CompletableFuture[]::new));
            long slowest = 0;
            while (!all.isDone()) {
                long asked = System.nanoTime();
                assertThat(REDIS.cli().clientList().lines().count()).isLessThan(20);
                slowest = Math.max(slowest, System.nanoTime() - asked);
                all.copy().completeOnTimeout(null, 50, TimeUnit.MILLISECONDS).join();
            }
            all.join();

            assertThat(Duration.ofNanos(slowest)).as("Redis answers others").isLessThan(Duration.ofSeconds(1));
            assertThat(guests)
                    .allMatch(guest -> !guest.isGone() && guest.forceLeaves().isEmpty());
            for (int i = 0; i < 100; i++) {
                assertThat(guests.get(i).list(room(guests.get(i)))).hasSize(CLIENTS / 100);
            }
            assertThat(REDIS.cli().keys("room:presence:*")).hasSize(CLIENTS);
        }
    }

    /** One of a hundred rooms. */
    private static String room(Guest guest) {
        return "r" + Integer.parseInt(guest.user.substring(1)) % 100;
    }

    private static List<Guest> connect(HadirProcess server, int count) {
        List<CompletableFuture<Guest>> opening = IntStream.range(0, count)
                .mapToObj(i -> Guest.open(server.port(), "u" + i))
                .toList();
        List<Guest> guests = new ArrayList<>();
        opening.forEach(open -> guests.add(open.join()));
        guests.forEach(Guest::keepNoList);
        return guests;
    }

    private static void comeIn(List<Guest> guests, Function<Guest, String> room) {
        guests.stream()
                .map(guest -> guest.comeIn(room.apply(guest), TRIES))
                .toList()
                .forEach(CompletableFuture::join);
        System.err.println(
                "refusals: " + guests.stream().mapToInt(Guest::refusals).sum());
    }
}
