package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.server.support.ApiClient.Answer;
import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The HTTP API while Redis does not answer. */
class ApiOutageIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    /** The promised two seconds, and slack for a busy machine. */
    private static final Duration SOON = Duration.ofSeconds(6);

    private static List<Supplier<Answer>> calls(ApiClient api) {
        return List.of(
                () -> api.get("/api/v1/rooms"),
                () -> api.get("/api/v1/rooms/r"),
                () -> api.get("/api/v1/rooms/r/participants"),
                () -> api.get("/api/v1/rooms/r/participants?source=scan"),
                () -> api.get("/api/v1/rooms/r/participants?details=true"),
                () -> api.delete("/api/v1/rooms/r/participants/u"),
                () -> api.get("/api/v1/rooms/r/settings"),
                () -> api.put("/api/v1/rooms/r/settings", "{}"),
                () -> api.delete("/api/v1/rooms/r/settings"),
                () -> api.post("/api/v1/rooms/r/messages", "{\"senderId\":\"a\",\"recipients\":[\"b\"]}"),
                () -> api.get("/api/v1/users/u"),
                () -> api.post("/api/v1/users/status", "{\"userIds\":[\"u\"]}"),
                () -> api.get("/api/v1/users/u/unread"),
                () -> api.delete("/api/v1/rooms/r/unread/u"),
                () -> api.get("/api/v1/stats"),
                () -> api.get("/api/v1/stats/removals"),
                () -> api.get("/api/v1/stats/history"),
                () -> api.get("/api/v1/nodes"));
    }

    private static List<Answer> atOnce(List<Supplier<Answer>> calls) {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            List<CompletableFuture<Answer>> answers = calls.stream()
                    .map(call -> CompletableFuture.supplyAsync(call, threads))
                    .toList();
            return answers.stream().map(CompletableFuture::join).toList();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void f17_aSilentRedisMeans503WithinTwoSecondsAndNothingElse() throws Exception {
        try (FaultProxy proxy = new FaultProxy(REDIS.port());
                ApiServer server = ApiServer.start(REDIS.url().replace(":" + REDIS.port(), ":" + proxy.port()))) {
            ApiClient api = new ApiClient(server.url(), "X-API-Key", ApiServer.KEY);
            calls(api).forEach(ApiOutageIT::awaitAnswer);

            proxy.freeze();
            long begun = System.nanoTime();
            for (Answer answer : atOnce(calls(api))) {
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.code()).isEqualTo("presence_unavailable");
                assertThat(Integer.parseInt(answer.header("Retry-After"))).isPositive();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
            assertThat(api.put("/api/v1/rooms/r/settings", "{\"ttlSeconds\":1}").status())
                    .isEqualTo(400);
            assertThat(api.get("/healthz").status()).isEqualTo(200);
            await().until(() -> api.get("/readyz").status() == 503);

            proxy.heal();
            await().until(() -> api.get("/readyz").status() == 200);
            calls(api).forEach(ApiOutageIT::awaitAnswer);
        }
    }

    @Test
    void f17_theStateOfRedisIsShownEvenWhileItIsAway() throws Exception {
        try (FaultProxy proxy = new FaultProxy(REDIS.port());
                ApiServer server = ApiServer.start(REDIS.url().replace(":" + REDIS.port(), ":" + proxy.port()))) {
            ApiClient api = new ApiClient(server.url(), "X-API-Key", ApiServer.KEY);
            await().until(() -> isConnected(api));
            proxy.freeze();
            long begun = System.nanoTime();
            Answer away = api.get("/api/v1/redis");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
            assertThat(away.status()).isEqualTo(200);
            assertThat(away.json().toString())
                    .isEqualTo("{\"connected\":false,\"mode\":\"standalone\",\"version\":null,\"evicting\":null,"
                            + "\"usedMemoryBytes\":null,\"maxMemoryBytes\":null,\"latencyMs\":null}");
            proxy.heal();
            await().until(() -> isConnected(api));
        }
    }

    private static boolean isConnected(ApiClient api) {
        return api.get("/api/v1/redis").json().get("connected").asBoolean();
    }

    private static void awaitAnswer(Supplier<Answer> call) {
        await().until(() -> List.of(200, 404).contains(call.get().status()));
    }
}
