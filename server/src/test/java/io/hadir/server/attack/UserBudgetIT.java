package io.hadir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** One user tries to exceed their budget with many sockets, with reconnects, and with expensive events. */
class UserBudgetIT {
    private static final int PER_SOCKET = 5;
    private static final int PER_USER = 4 * PER_SOCKET;
    private static final int RECONNECTS = 200;
    private static final String LIST = "room:participants";

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private ApiServer server;

    @BeforeEach
    void start() throws IOException {
        server = ApiServer.start(REDIS.url(), "--events-per-second=" + PER_SOCKET);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private WireClient user(String name) {
        return new WireClient(server.port(), "{\"userId\":\"" + name + "\"}");
    }

    private static long most(long startNanos) {
        return 2 * PER_USER
                + PER_USER
                        * (System.nanoTime() - startNanos)
                        / Duration.ofSeconds(1).toNanos()
                + 1;
    }

    private static void burst(WireClient client) {
        int sent = answered(client) + refused(client) + 2 * PER_SOCKET;
        for (int i = 0; i < 2 * PER_SOCKET; i++) {
            client.emit(LIST, "{\"roomId\":\"r\"}");
        }
        await().until(() -> answered(client) + refused(client) == sent);
    }

    private static int answered(WireClient client) {
        return client.all(LIST).size();
    }

    private static int refused(WireClient client) {
        List<JsonNode> errors = client.all("room:error");
        assertThat(errors).allSatisfy(error -> {
            assertThat(error.path("code").asString()).isEqualTo("rate_limited");
            assertThat(error.path("event").asString()).isEqualTo(LIST);
            assertThat(error.path("retryAfterMs").asLong()).isGreaterThanOrEqualTo(1000);
        });
        return errors.size();
    }

    @Test
    void a52_manySocketsOfAUserShareOneBudgetAndOtherUsersHaveTheirOwn() {
        long start = System.nanoTime();
        List<WireClient> sockets = new ArrayList<>();
        try (WireClient other = user("other")) {
            for (int i = 0; i < 20; i++) {
                sockets.add(user("adi"));
            }
            sockets.forEach(UserBudgetIT::burst);
            assertThat(sockets.stream().mapToLong(UserBudgetIT::answered).sum())
                    .isBetween(2L * PER_USER - 20, most(start));
            burst(other);
            assertThat(refused(other)).isZero();
        } finally {
            sockets.forEach(WireClient::close);
        }
    }

    @Test
    void a52_aReconnectDoesNotRefillTheBudget() {
        long start = System.nanoTime();
        long answered = 0;
        boolean limited = false;
        for (int i = 0; i < RECONNECTS && !limited; i++) {
            try (WireClient adi = user("adi")) {
                // A stock client does not reconnect after a refusal.
                assertThat(adi.refused()).isNull();
                burst(adi);
                answered += answered(adi);
                limited = refused(adi) == 2 * PER_SOCKET;
            }
        }
        assertThat(answered).isLessThanOrEqualTo(most(start));
        assertThat(limited).isTrue();
        await().pollInterval(Duration.ofSeconds(1)).until(() -> {
            try (WireClient adi = user("adi")) {
                burst(adi);
                return answered(adi) > 0;
            }
        });
    }

    @Test
    void a52_aLongListCostsMoreThanAHeartbeat() {
        try (WireClient adi = user("adi");
                WireClient budi = user("budi")) {
            for (int i = 0; i < 3; i++) {
                adi.emit(LIST, "{\"roomId\":\"r\",\"limit\":800}");
            }
            await().until(() -> answered(adi) + refused(adi) == 3);
            assertThat(answered(adi)).isEqualTo(1);
            assertThat(adi.all("room:error"))
                    .allSatisfy(error ->
                            assertThat(error.path("retryAfterMs").asLong()).isBetween(1000L, 1600L));

            budi.ask("join_room", "{\"roomId\":\"r\"}");
            for (int i = 1; i < 2 * PER_SOCKET; i++) {
                assertThat(budi.ask("room:heartbeat", "{\"roomId\":\"r\"}")
                                .path("ok")
                                .booleanValue())
                        .isTrue();
            }
        }
    }
}
