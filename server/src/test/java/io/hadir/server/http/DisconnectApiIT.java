package io.hadir.server.http;

import static io.hadir.server.support.TokenMint.claims;
import static io.hadir.server.support.TokenMint.hs256;
import static io.hadir.server.support.TokenMint.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.server.support.ApiClient.Answer;
import io.hadir.server.support.TokenMint;
import io.hadir.testing.Logs;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A disconnect reaches a user on every server, and every server refuses a revoked token until it expires. */
class DisconnectApiIT extends OnApiServer {
    private static final String SECRET = "--jwt-secret=" + TokenMint.SECRET;
    private static final String GRACE = "--grace-seconds=600";
    private static final String DISCONNECT = "/api/v1/users/ana/disconnect";
    private static final String REVOKE = "{\"revoke\":true}";

    private ApiServer second;

    DisconnectApiIT() {
        super(SECRET, GRACE);
    }

    @BeforeAll
    void startSecond() throws IOException {
        second = ApiServer.start(redis.url(), SECRET, GRACE);
    }

    @AfterAll
    void stopSecond() {
        second.close();
    }

    private static String token(String user, @Nullable Instant issued) {
        return hs256(with(
                claims(user, Instant.now().plusSeconds(3600)), "iat", issued == null ? null : issued.getEpochSecond()));
    }

    /** Issued ten seconds ago, so no clock has to move. */
    private static String old(String user) {
        return token(user, Instant.now().minusSeconds(10));
    }

    private static String later(String user) {
        return token(user, Instant.now().plusSeconds(5));
    }

    private static WireClient connect(ApiServer to, String token) {
        return new WireClient(to.port(), "{\"token\":\"" + token + "\"}");
    }

    private static String refusal(ApiServer by, String token) {
        try (WireClient client = connect(by, token)) {
            JsonNode refused = client.refused();
            return refused == null ? "let in" : refused.path("message").asString();
        }
    }

    private static WireClient joined(ApiServer to, String user, String... rooms) {
        WireClient client = connect(to, old(user));
        for (String room : rooms) {
            assertThat(client.ask("join_room", "{\"roomId\":\"" + room + "\"}")
                            .path("ok")
                            .asBoolean())
                    .isTrue();
        }
        return client;
    }

    @Test
    void a56_aUserIsDisconnectedOnEveryServerLeavesTheirRoomsAtOnceAndIsTold() {
        try (WireClient budi = joined(server, "budi", "r");
                WireClient one = joined(server, "ana", "r", "s");
                WireClient two = joined(second, "ana", "r");
                WireClient idle = joined(second, "ana")) {
            // A join and a leave in the same message cancel each other out.
            await().until(
                            () -> budi.heard("room:presence")
                                    .at("/joined/0/userId")
                                    .asString(),
                            "ana"::equals);
            joined(second, "ana", "grace").close();
            await().until(() -> redis.cli().pttl("room:presence:grace:ana") <= 600_000);

            Answer answer = api.post(DISCONNECT, "{\"message\":\"Bye\"}");
            assertThat(answer.json().path("userId").asString()).isEqualTo("ana");
            assertThat(answer.json().path("sockets").asInt()).isBetween(3, 4);
            assertThat(answer.json().path("revokedAt").isNull()).isTrue();
            for (WireClient client : List.of(one, two, idle)) {
                await().until(client::isDisconnected);
            }
            assertThat(List.of(one.heard("room:force-leave"), one.heard("room:force-leave")))
                    .extracting(told -> told.path("roomId").asString())
                    .containsExactlyInAnyOrder("r", "s");
            assertThat(two.heard("room:force-leave").toString())
                    .startsWith("{\"roomId\":\"r\",\"reason\":\"kicked\",\"message\":\"Bye\"");
            await().until(
                            () -> budi.heard("room:presence").path("left").toString(),
                            "[{\"userId\":\"ana\",\"reason\":\"kicked\"}]"::equals);
            await().until(() -> redis.cli().keys("room:presence:*:ana").isEmpty());
            assertThat(budi.ask("room:heartbeat", "{\"roomId\":\"r\"}")
                            .path("ok")
                            .asBoolean())
                    .isTrue();

            JsonNode user = api.get("/api/v1/users/ana").json();
            assertThat(user.path("online").asBoolean()).isFalse();
            assertThat(user.path("rooms")).isEmpty();
            assertThat(refusal(second, old("ana"))).isEqualTo("let in");
        }
    }

    @Test
    void a56_aRevokedTokenIsRefusedOnEveryServerAndANewerOneIsNot() throws Exception {
        try (WireClient one = joined(server, "ana", "r");
                WireClient two = joined(second, "ana", "r")) {
            long before = System.currentTimeMillis();
            Answer answer = api.post(DISCONNECT, REVOKE);
            assertThat(answer.json().path("revokedAt").asLong()).isBetween(before, before + 10_000);
            await().until(() -> one.isDisconnected() && two.isDisconnected());
            assertThat(one.heard("room:force-leave").path("message").asString())
                    .isEqualTo("You have been removed from the chatroom");
        }
        // A server that starts later refuses it, too.
        try (ApiServer restarted = ApiServer.start(redis.url(), SECRET)) {
            for (ApiServer one : List.of(server, second, restarted)) {
                assertThat(refusal(one, old("ana"))).isEqualTo("unauthenticated");
                assertThat(refusal(one, token("ana", null))).isEqualTo("unauthenticated");
                assertThat(refusal(one, later("ana"))).isEqualTo("let in");
                assertThat(refusal(one, old("budi"))).isEqualTo("let in");
                assertThat(refusal(one, token("budi", null))).isEqualTo("let in");
            }
        }
        assertThat(redis.cli().keys("room:presence:*")).isEmpty();
    }

    @Test
    void a56_aRevokedTokenDoesNotRefreshANewerOne() {
        api.post(DISCONNECT, REVOKE);
        try (WireClient ana = connect(second, later("ana"))) {
            for (String revoked : List.of(old("ana"), token("ana", null))) {
                assertThat(ana.ask("auth:refresh", "{\"token\":\"" + revoked + "\"}")
                                .at("/error/code")
                                .asString())
                        .isEqualTo("unauthenticated");
            }
            assertThat(ana.ask("auth:refresh", "{\"token\":\"" + later("ana") + "\"}")
                            .path("ok")
                            .asBoolean())
                    .isTrue();
            assertThat(ana.ask("join_room", "{\"roomId\":\"r\"}").path("ok").asBoolean())
                    .isTrue();
        }
    }

    @Test
    void a56_aSocketThatConnectsDuringADisconnectDoesNotSlipThrough() {
        for (int round = 0; round < 15; round++) {
            String user = "racer" + round;
            String token = old(user);
            List<CompletableFuture<WireClient>> connecting = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                ApiServer to = i % 2 == 0 ? server : second;
                connecting.add(CompletableFuture.supplyAsync(() -> connect(to, token)));
            }
            assertThat(api.post("/api/v1/users/" + user + "/disconnect", REVOKE).status())
                    .isEqualTo(200);
            List<WireClient> clients =
                    connecting.stream().map(CompletableFuture::join).toList();
            for (WireClient client : clients) {
                await().until(() -> client.refused() != null || client.isDisconnected());
            }
            await().until(() -> redis.cli().exists("user:" + user + ":online") == 0);
            clients.forEach(WireClient::close);
        }
    }

    @Test
    void a56_aRevokedTokenUsedDuringAnOutageIsDisconnectedAfterIt() {
        api.post(DISCONNECT, REVOKE);
        String token = old("ana");
        redis.cli().clientPause(4_000);
        try (WireClient ana = connect(server, token)) {
            assertThat(ana.refused()).isNull();
            ana.emit("join_room", "{\"roomId\":\"r\"}");
            await().until(ana::isDisconnected);
            await().until(() -> redis.cli().keys("room:presence:*").isEmpty());
            assertThat(api.get("/api/v1/users/ana").json().path("online").asBoolean())
                    .isFalse();
        }
    }

    @Test
    void aRevocationIsKeptAsLongAsARevokedTokenCouldBeValid() throws Exception {
        api.post(DISCONNECT, REVOKE);
        long forGood = Duration.between(Instant.now(), Instant.parse("9999-12-31T23:59:59Z"))
                .toMillis();
        assertThat(redis.cli().pttl("hadir:user:ana:revoked")).isGreaterThan(forGood);
        try (ApiServer limited = ApiServer.start(redis.url(), SECRET, "--jwt-max-seconds=600")) {
            new ApiClient(limited.url(), "Authorization", "Bearer " + ApiServer.KEY).post(DISCONNECT, REVOKE);
            assertThat(redis.cli().pttl("hadir:user:ana:revoked")).isBetween(600_000L, 630_000L);
        }
    }

    @Test
    void anOddIdDisconnectsOnlyItsOwnUser() {
        try (WireClient star = joined(server, "*", "r");
                WireClient ana = joined(second, "ana", "r")) {
            api.post("/api/v1/users/%2A/disconnect", REVOKE);
            await().until(star::isDisconnected);
            assertThat(redis.cli().keys("hadir:user:*:revoked")).containsExactly("hadir:user:%2A:revoked");
            assertThat(ana.ask("room:heartbeat", "{\"roomId\":\"r\"}")
                            .path("ok")
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void theLogSaysWhoDisconnectedWhomAndWhyATokenIsRefused() {
        try (Logs logs = Logs.listen()) {
            api.post(DISCONNECT, "{\"message\":\"Secret\"}");
            api.post(DISCONNECT, REVOKE);
            String caller = " (key: api-key, from: 127.0.0.1)";
            assertThat(logs.all())
                    .contains(
                            "INFO Disconnected user ana" + caller,
                            "INFO Disconnected user ana and revoked their tokens" + caller)
                    .noneMatch(line -> line.contains("Secret"));
            // The log has at most one line per second and reason.
            await().until(() -> refusal(server, old("ana")).equals("unauthenticated")
                    && logs.all().stream()
                            .anyMatch(line ->
                                    line.startsWith("INFO A token was refused (revoked): it was issued before")));
        }
    }

    @Test
    void a21_aMalformedRequestDisconnectsNobody() {
        try (WireClient ana = joined(server, "ana", "r")) {
            for (String body : List.of("{\"revoke\":\"yes\"}", "{\"message\":7}", "{\"message\":\"\"}", "no")) {
                assertThat(api.post(DISCONNECT, body).status()).as(body).isEqualTo(400);
            }
            assertThat(ana.ask("room:heartbeat", "{\"roomId\":\"r\"}")
                            .path("ok")
                            .asBoolean())
                    .isTrue();
        }
        assertThat(api.post("/api/v1/users/nobody/disconnect", "{}").json().toString())
                .isEqualTo("{\"userId\":\"nobody\",\"sockets\":0,\"revokedAt\":null}");
    }
}
