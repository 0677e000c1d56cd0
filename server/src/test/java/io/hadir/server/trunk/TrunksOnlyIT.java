package io.hadir.server.trunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.ApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.server.support.TokenMint;
import io.hadir.testing.Logs;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that other machines can reach, and that has a trunk key and no key for tokens. */
class TrunksOnlyIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @Test
    void appsAreServedAndDirectClientsRefused() throws IOException {
        String token = TokenMint.hs256(TokenMint.claims("adi", Instant.now().plusSeconds(600)));
        try (Logs logs = Logs.listen();
                ApiServer server = ApiServer.startKeyless(REDIS.url(), AppTrunk.FLAG, "--host=0.0.0.0");
                AppTrunk app = AppTrunk.hello(server.port(), "app", 1).open(1, "adi")) {
            assertThat(app.join(1, "r").path("ok").asBoolean()).isTrue();
            for (String auth : List.of("{}", "{\"userId\":\"adi\"}", "{\"token\":\"" + token + "\"}")) {
                try (WireClient client = new WireClient(server.port(), auth)) {
                    assertThat(Objects.requireNonNull(client.refused(), auth)
                                    .path("message")
                                    .asString())
                            .isEqualTo("unauthenticated");
                }
            }
            assertThat(logs.all())
                    .anyMatch(
                            line -> line.startsWith(
                                    "INFO A token was refused (no_key): no token key is configured, so only trunks are served"));
            ApiClient local = new ApiClient(server.url(), "Accept", "application/json");
            assertThat(local.get("/api/v1/rooms/r").json().path("viewerCount").asInt())
                    .isEqualTo(1);
        }
    }
}
