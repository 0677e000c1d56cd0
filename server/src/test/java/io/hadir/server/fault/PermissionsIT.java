package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import io.hadir.server.support.ApiClient;
import io.hadir.testing.DocumentedAcl;
import io.hadir.testing.TestCluster;
import io.hadir.testing.TestRedis;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server whose Redis user has the permissions it needs, or fewer. */
class PermissionsIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final Duration NOTICED = Duration.ofSeconds(10);

    @TempDir
    Path folder = Path.of("");

    @BeforeEach
    void allow() {
        DocumentedAcl.apply(REDIS.cli());
    }

    @Test
    void f61_aMissingPermissionIsNamedUntilItIsGranted() throws Exception {
        DocumentedAcl.change(REDIS.cli(), "-spublish");
        try (HadirProcess server = HadirProcess.start(folder, DocumentedAcl.url(REDIS.url()))) {
            await().atMost(NOTICED).until(() -> server.ready().contains("SPUBLISH"));
            assertThat(server.ready()).startsWith("503 ");
            assertThat(server.log()).contains("SPUBLISH");
            Guest adi = Guest.connect(server.port(), "adi");
            assertThat(adi.join("r").path("error").path("code").asString()).isEqualTo("presence_unavailable");
            assertThat(REDIS.cli().keys("room:*")).isEmpty();

            DocumentedAcl.change(REDIS.cli(), "+spublish");
            server.awaitReady();
            adi.comeIn("r", 5).join();
            Guest budi = Guest.join(server.port(), "budi", "r");

            DocumentedAcl.change(REDIS.cli(), "-expire resetchannels");
            await().atMost(NOTICED).until(() -> server.ready().contains("EXPIRE"));
            assertThat(server.ready()).startsWith("503 ").contains("SUBSCRIBE hadir:*");
            await().pollDelay(HadirProcess.LEASE.plus(HadirProcess.GRACE)).until(() -> true);

            DocumentedAcl.change(REDIS.cli(), "+expire &hadir:*");
            server.awaitReady();
            assertThat(adi.heartbeat("r").path("ok").asBoolean()).isTrue();
            assertThat(budi.list("r")).containsExactly("adi", "budi");
            assertThat(List.of(adi, budi))
                    .noneMatch(Guest::isGone)
                    .allMatch(guest -> guest.forceLeaves().isEmpty());
        }
    }

    @Test
    void f61_aCommandThatRedisHasDisabledIsNamed() throws Exception {
        for (String command : List.of("SCAN", "EVALSHA", "TIME")) {
            try (TestRedis crippled = TestRedis.start("rename-command " + command + " \"\"");
                    HadirProcess server = HadirProcess.start(folder, crippled.url())) {
                await().atMost(NOTICED).until(() -> server.ready().contains(command));
                assertThat(server.ready()).startsWith("503 ");
            }
        }
    }

    @Test
    void theDocumentedPermissionsAreEnough() throws Exception {
        try (HadirProcess server =
                HadirProcess.start(folder, DocumentedAcl.url(REDIS.url())).awaitReady()) {
            doEverything(server);
        }
        assertThat(REDIS.cli().aclLog()).isEmpty();
    }

    @Test
    void theDocumentedPermissionsAreEnoughInACluster() throws Exception {
        try (TestCluster cluster = new TestCluster()) {
            List<RedisCommands<String, String>> clis = new ArrayList<>();
            for (EmbeddedRedis master : cluster.masters()) {
                clis.add(cluster.cli(master));
            }
            clis.forEach(DocumentedAcl::applyInCluster);
            try (HadirProcess server =
                    HadirProcess.start(folder, DocumentedAcl.url(cluster.url())).awaitReady()) {
                doEverything(server);
            }
            assertThat(clis).allSatisfy(cli -> assertThat(cli.aclLog()).isEmpty());
        }
    }

    /** Makes the server send Redis every kind of command. */
    private static void doEverything(HadirProcess server) {
        ApiClient api = new ApiClient("http://127.0.0.1:" + server.port());
        Guest adi = Guest.join(server.port(), "adi", "r");
        Guest budi = Guest.join(server.port(), "budi", "r");
        Guest.join(server.port(), "citra", "r");
        Guest.join(server.port(), "dewi", "r").close();
        for (String event : List.of("room:heartbeat", "room:focus", "room:blur", "join_room")) {
            assertThat(adi.ask(event, "r").join().path("ok").asBoolean())
                    .as(event)
                    .isTrue();
        }
        assertThat(adi.send("unread", "{\"roomIds\":[\"r\"]}").join().path("ok").asBoolean())
                .isTrue();
        assertThat(api.put("/api/v1/rooms/r/settings", "{\"ttlSeconds\":60}").status())
                .isEqualTo(200);
        assertThat(api.post("/api/v1/rooms/r/messages", "{\"senderId\":\"adi\",\"recipients\":[\"budi\",\"x\"]}")
                        .status())
                .isEqualTo(200);
        assertThat(api.delete("/api/v1/rooms/r/participants/citra?banSeconds=60")
                        .status())
                .isEqualTo(200);
        assertThat(Guest.connect(server.port(), "citra")
                        .join("r")
                        .path("error")
                        .path("code")
                        .asString())
                .isEqualTo("banned");
        for (String target : List.of(
                "rooms",
                "rooms/r",
                "rooms/r/participants",
                "rooms/r/participants?source=scan",
                "rooms/r/participants/adi/explain",
                "rooms/r/bans",
                "users/adi",
                "users/x/unread",
                "stats",
                "stats/history",
                "stats/removals?roomId=r",
                "nodes",
                "redis")) {
            assertThat(api.get("/api/v1/" + target).status()).as(target).isEqualTo(200);
        }
        assertThat(api.delete("/api/v1/rooms/r/bans/citra").status()).isBetween(200, 204);
        assertThat(api.delete("/api/v1/rooms/r/unread/x").status()).isBetween(200, 204);
        assertThat(api.delete("/api/v1/rooms/r/settings").status()).isBetween(200, 204);
        assertThat(api.post("/api/v1/audit", "{}").status()).isBetween(200, 202);
        await().atMost(Guest.PATIENCE)
                .until(() -> api.get("/api/v1/audit")
                        .json()
                        .path("audit")
                        .path("phase")
                        .asString()
                        .equals("finished"));
        adi.ask("leave_room", "r").join();
        // A grace period and two sweeps.
        await().atMost(Guest.PATIENCE).until(() -> budi.left().contains("dewi disconnected"));
        await().pollDelay(Duration.ofSeconds(4)).until(() -> true);
    }
}
