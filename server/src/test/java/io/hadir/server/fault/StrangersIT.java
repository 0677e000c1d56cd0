package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.support.TokenMint;
import io.hadir.testing.RawConnection;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Strangers without a token take all they can get, and users with one do not notice. */
class StrangersIT {
    private static final int HANDSHAKES = 100_000;
    private static final String HANDSHAKE = "/socket.io/?EIO=4&transport=polling";
    private static final String SECRET = "--jwt-secret=" + TokenMint.SECRET;
    private static final Duration SOON = Duration.ofSeconds(5);

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder = Path.of("");

    @Test
    void a51_aHundredThousandHandshakesOverOneConnectionLockNobodyOut() throws Exception {
        flood(1, HANDSHAKES);
    }

    @Test
    void a51_aHundredThousandHandshakesOverNewConnectionsOfOneAddressLockNobodyOut() throws Exception {
        flood(10, 50);
    }

    /** Keeps this many connections open, and replaces each after this many handshakes. */
    private void flood(int connections, int handshakesPerConnection) throws Exception {
        ExecutorService strangers = Executors.newFixedThreadPool(connections);
        AtomicInteger handshakes = new AtomicInteger();
        AtomicInteger opened = new AtomicInteger();
        try (HadirProcess server = HadirProcess.start(folder, REDIS.url(), SECRET);
                WireClient early = user(server, "early")) {
            assertOk(early, "join_room");
            long start = System.nanoTime();
            List<CompletableFuture<Void>> attack = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                attack.add(CompletableFuture.runAsync(
                        () -> {
                            while (handshakes.get() < HANDSHAKES) {
                                shake(server.port(), handshakesPerConnection, handshakes, opened);
                            }
                        },
                        strangers));
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(attack.toArray(CompletableFuture[]::new));
            List<Duration> visits = new ArrayList<>();
            while (!all.isDone()) {
                visits.add(visit(server, "user" + visits.size()));
                assertOk(early, "room:heartbeat");
            }
            all.join();
            visits.add(visit(server, "afterwards"));
            Duration took = Duration.ofNanos(System.nanoTime() - start);

            System.err.printf(
                    "%d handshakes by %d connections at a time in %d ms, %d opened; %d users connected, joined and sent"
                            + " a heartbeat meanwhile, the slowest in %d ms%n",
                    handshakes.get(),
                    connections,
                    took.toMillis(),
                    opened.get(),
                    visits.size(),
                    visits.stream().mapToLong(Duration::toMillis).max().orElse(0));
            assertThat(visits)
                    .hasSizeGreaterThan(3)
                    .allSatisfy(visit -> assertThat(visit).isLessThan(SOON));
            assertThat(sessions(server)).isLessThan(20_000);
            await("strangers have ten seconds").atMost(Duration.ofSeconds(30)).until(() -> sessions(server) <= 2);
            assertThat(early.isDisconnected()).isFalse();
        } finally {
            strangers.shutdownNow();
        }
    }

    private static void shake(int port, int most, AtomicInteger handshakes, AtomicInteger opened) {
        try (RawConnection connection = new RawConnection(port)) {
            for (int i = 0; i < most && handshakes.incrementAndGet() <= HANDSHAKES; i++) {
                if (connection.get(HANDSHAKE).response().status() == 200) {
                    opened.incrementAndGet();
                }
            }
        } catch (IOException refused) {
            // The limits close connections.
        }
    }

    /** The time that a user needs to connect, join and send a heartbeat. */
    private static Duration visit(HadirProcess server, String name) {
        long start = System.nanoTime();
        try (WireClient client = user(server, name)) {
            assertOk(client, "join_room");
            assertOk(client, "room:heartbeat");
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static WireClient user(HadirProcess server, String name) {
        String token = TokenMint.hs256(TokenMint.claims(name, Instant.now().plusSeconds(600)));
        WireClient client = new WireClient(server.port(), "{\"token\":\"" + token + "\"}");
        assertThat(client.refused()).isNull();
        return client;
    }

    private static void assertOk(WireClient client, String event) {
        assertThat(client.ask(event, "{\"roomId\":\"r\"}").path("ok").asBoolean())
                .as(event)
                .isTrue();
    }

    private static int sessions(HadirProcess server) throws Exception {
        return server.get("/metrics")
                .lines()
                .filter(line -> line.startsWith("hadir_sessions "))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }

    @Test
    void f58_atTheConnectionLimitHealthChecksAreAnsweredUsersStayAndNobodyElseConnects() throws Exception {
        List<WireClient> users = new ArrayList<>();
        List<RawConnection> idle = new ArrayList<>();
        try (HadirProcess server = HadirProcess.start(folder, REDIS.url(), SECRET, "--max-connections=20")) {
            for (int i = 0; i < 50; i++) {
                idle.add(new RawConnection(server.port()));
            }
            for (int i = 0; i < 20; i++) {
                users.add(user(server, "u" + i));
                assertOk(users.get(i), "join_room");
            }
            for (int i = 0; i < 50; i++) {
                idle.add(new RawConnection(server.port()));
                for (String path : List.of("/healthz", "/readyz", "/metrics")) {
                    assertThat(server.get(path)).as(path).startsWith("200 ");
                }
            }
            try (RawConnection late = new RawConnection(server.port())) {
                assertThat(late.get(HANDSHAKE).response().status()).isEqualTo(503);
            }
            for (WireClient user : users) {
                assertOk(user, "room:heartbeat");
            }
        } finally {
            for (RawConnection connection : idle) {
                connection.close();
            }
            users.forEach(WireClient::close);
        }
    }
}
