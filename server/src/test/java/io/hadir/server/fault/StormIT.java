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
    /** In all, on two servers; `./bench/run --scenarios storm-5000` has the full size. */
    private static final int CROWD = Integer.getInteger("hadir.crowd", 3000);

    /** A single refusal fails the test: a burst is slow, not refused. */
    private static final int ONCE = 1;

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
                    .map(guest -> guest.comeIn(room(guest), ONCE))
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

    @Test
    void f44_aCrowdThatJoinsOneRoomOnTwoServersIsNotRefusedAndLeasesAreRenewedInTime() throws Exception {
        String lease = "--lease-seconds=15";
        try (HadirProcess one = HadirProcess.start(folder, REDIS.url(), "--grace-seconds=15", lease);
                HadirProcess two = HadirProcess.start(folder, REDIS.url(), "--grace-seconds=15", lease)) {
            List<Guest> guests = new ArrayList<>(connect(one, CROWD / 2));
            guests.addAll(connect(two, CROWD / 2, CROWD / 2));
            List<CompletableFuture<Guest>> coming =
                    guests.stream().map(guest -> guest.comeIn("r", ONCE)).toList();
            CompletableFuture<Void> all = CompletableFuture.allOf(coming.toArray(CompletableFuture[]::new));
            long shortest = Long.MAX_VALUE;
            while (!all.isDone()) {
                for (String key : REDIS.cli().keys("hadir:{nodes}:lease:*")) {
                    shortest = Math.min(shortest, REDIS.cli().pttl(key));
                }
                all.copy()
                        .completeOnTimeout(null, 50, TimeUnit.MILLISECONDS)
                        .exceptionally(failed -> null)
                        .join();
            }
            all.join();

            // Renewed when 10 s are left, which may take a while on a busy machine, but not because of the crowd.
            assertThat(shortest).isGreaterThan(5_000);
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(guests)
                            .allSatisfy(guest -> assertThat(guest.viewerCount()).isEqualTo(CROWD)));
            assertThat(REDIS.cli().keys("room:presence:r:*")).hasSize(CROWD);
        }
    }

    @Test
    void f44_aThousandJoinsOfColdSocketsAreNotRefused() throws Exception {
        try (HadirProcess server =
                HadirProcess.start(folder, REDIS.url(), "--grace-seconds=15", "--lease-seconds=15")) {
            server.awaitReady();
            // A few sockets of a few users send everything at once: each joins many rooms.
            List<Guest> guests = connect(server, 20);
            List<CompletableFuture<Guest>> coming = new ArrayList<>();
            for (int room = 0; room < 50; room++) {
                for (Guest guest : guests) {
                    coming.add(guest.comeIn("cold" + room, ONCE));
                }
            }
            coming.forEach(CompletableFuture::join);
            assertThat(REDIS.cli().keys("room:presence:cold*")).hasSize(1_000);
        }
    }

    /** One of a hundred rooms. */
    private static String room(Guest guest) {
        return "r" + Integer.parseInt(guest.user.substring(1)) % 100;
    }

    private static List<Guest> connect(HadirProcess server, int count) {
        return connect(server, 0, count);
    }

    private static List<Guest> connect(HadirProcess server, int first, int count) {
        List<CompletableFuture<Guest>> opening = IntStream.range(first, first + count)
                .mapToObj(i -> Guest.open(server.port(), "u" + i))
                .toList();
        List<Guest> guests = new ArrayList<>();
        opening.forEach(open -> guests.add(open.join()));
        guests.forEach(Guest::keepNoList);
        return guests;
    }

    private static void comeIn(List<Guest> guests, Function<Guest, String> room) {
        guests.stream()
                .map(guest -> guest.comeIn(room.apply(guest), ONCE))
                .toList()
                .forEach(CompletableFuture::join);
    }
}
