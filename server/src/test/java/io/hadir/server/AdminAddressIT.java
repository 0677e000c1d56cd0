package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.hadir.server.config.ConfigLoader;
import io.hadir.server.config.Flags;
import io.hadir.testing.RawConnection;
import io.hadir.testing.TestRedis;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.SetArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is at which address, with which key, and what a start refuses. */
class AdminAddressIT {
    private static final String KEY = "key-0123456789abcdef";
    private static final String READ_KEY = "read-0123456789abcdef";
    private static final String METRICS_KEY = "metrics-0123456789abc";

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeEach
    void empty() {
        REDIS.cli().flushall();
    }

    /** What the server hears of another program's presences after its start. */
    private static final Queue<String> FOREIGN = new ConcurrentLinkedQueue<>();

    private static Hadir start(String... flags) throws IOException {
        List<String> all = new ArrayList<>(List.of("--port=0", "--redis-url=" + REDIS.url()));
        all.addAll(List.of(flags));
        return Hadir.start(ConfigLoader.load(Flags.parse(all), Map.of()).config(), "test", FOREIGN::add);
    }

    private int status(InetSocketAddress address, String method, String path, String key) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path))
                .header("X-API-Key", key)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        method.equals("POST")
                                ? HttpRequest.BodyPublishers.ofString("{\"userIds\":[\"a\"]}")
                                : HttpRequest.BodyPublishers.noBody())
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private String body(InetSocketAddress address, String path, String key) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path))
                .header("X-API-Key", key)
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    @Test
    void aPageLearnsWhereSocketsAreAndWhichOtherPagesThereAre() throws Exception {
        String both = "{\"socketPath\":\"/live/\",\"roomPage\":true,\"dashboard\":true}";
        try (Hadir hadir = start("--path=/live", "--pages=all")) {
            assertThat(body(hadir.address(), "/site.json", "x")).isEqualTo(both);
        }
        try (Hadir hadir = start("--path=/live", "--pages=all", "--admin-port=0")) {
            assertThat(body(hadir.address(), "/site.json", "x")).isEqualTo(both.replace("true}", "false}"));
            assertThat(body(hadir.adminAddress(), "/site.json", "x"))
                    .isEqualTo("{\"socketPath\":null,\"roomPage\":false,\"dashboard\":true}");
        }
    }

    @Test
    void theDescriptionOfTheApiIsOpenToAll() throws Exception {
        try (Hadir hadir = start("--pages=none", "--admin-port=0")) {
            for (InetSocketAddress address : List.of(hadir.address(), hadir.adminAddress())) {
                assertThat(status(address, "GET", "/openapi.json", "x")).isEqualTo(200);
                assertThat(status(address, "GET", "/docs", "x")).isEqualTo(404);
            }
        }
    }

    @Test
    void thePublicAddressHasNothingOfTheAdmins() throws Exception {
        try (Hadir hadir = start("--admin-port=0", "--api-key=" + KEY)) {
            for (String path : List.of("/api/v1/rooms", "/metrics", "/dashboard", "/docs")) {
                assertThat(status(hadir.address(), "GET", path, KEY)).as(path).isEqualTo(404);
                assertThat(status(hadir.adminAddress(), "GET", path, KEY))
                        .as(path)
                        .isEqualTo(200);
            }
            assertThat(status(hadir.address(), "GET", "/readyz", KEY)).isEqualTo(200);
            assertThat(status(hadir.adminAddress(), "GET", "/readyz", KEY)).isEqualTo(200);
            assertThat(status(hadir.adminAddress(), "GET", "/socket.io/?EIO=4&transport=polling", KEY))
                    .isEqualTo(404);
        }
    }

    @Test
    void eachKeyMayDoWhatItIsFor() throws Exception {
        try (Hadir hadir = start("--api-key=" + KEY, "--api-read-key=" + READ_KEY, "--metrics-key=" + METRICS_KEY)) {
            InetSocketAddress at = hadir.address();
            assertThat(status(at, "GET", "/api/v1/rooms", READ_KEY)).isEqualTo(200);
            assertThat(status(at, "POST", "/api/v1/users/status", READ_KEY)).isEqualTo(200);
            assertThat(status(at, "DELETE", "/api/v1/rooms/r/participants/u", READ_KEY))
                    .isEqualTo(403);
            assertThat(status(at, "POST", "/api/v1/audit", READ_KEY)).isEqualTo(403);
            assertThat(status(at, "DELETE", "/api/v1/rooms/r/participants/u", KEY))
                    .isEqualTo(404);
            assertThat(status(at, "GET", "/metrics", METRICS_KEY)).isEqualTo(200);
            for (String path : List.of("rooms", "changes", "actions", "access", "stats/history?stepSeconds=5")) {
                assertThat(status(at, "GET", "/api/v1/" + path, READ_KEY))
                        .as(path)
                        .isEqualTo(200);
                assertThat(status(at, "GET", "/api/v1/" + path, METRICS_KEY))
                        .as(path)
                        .isEqualTo(403);
            }
            assertThat(body(at, "/api/v1/access", READ_KEY)).isEqualTo("{\"mayChange\":false}");
            assertThat(body(at, "/api/v1/access", KEY)).isEqualTo("{\"mayChange\":true}");
            assertThat(status(at, "POST", "/api/v1/rooms/counts", READ_KEY))
                    .as("a question, although it is a POST")
                    .isEqualTo(400);
            hadir.take(ConfigLoader.load(
                            Flags.parse(List.of("--api-key=other-0123456789abcdef", "--log-level=warn")), Map.of())
                    .config());
            assertThat(status(at, "GET", "/api/v1/rooms", KEY)).isEqualTo(401);
            assertThat(status(at, "GET", "/api/v1/rooms", "other-0123456789abcdef"))
                    .isEqualTo(200);
        } finally {
            ((ch.qos.logback.classic.LoggerContext) org.slf4j.LoggerFactory.getILoggerFactory())
                    .getLogger("io.hadir")
                    .setLevel(ch.qos.logback.classic.Level.INFO);
        }
    }

    @Test
    void aNewTrunkKeyIsTakenAndTheOldOneIsNotAcceptedAnyMore() throws Exception {
        String other = "other-trunk-0123456789";
        try (Hadir hadir = start("--trunk-key=" + KEY)) {
            assertThat(trunk(hadir.address(), KEY)).isEqualTo(426);
            hadir.take(ConfigLoader.load(Flags.parse(List.of("--trunk-key=" + other)), Map.of())
                    .config());
            assertThat(trunk(hadir.address(), KEY)).isEqualTo(401);
            assertThat(trunk(hadir.address(), other)).isEqualTo(426);
        }
    }

    private static int trunk(InetSocketAddress at, String key) throws Exception {
        try (RawConnection caller = new RawConnection(at.getPort())) {
            return caller.get("/trunk", "Authorization: Bearer " + key)
                    .response()
                    .status();
        }
    }

    @Test
    void socketIoIsAtItsPathAndPagesAreThoseAskedFor() throws Exception {
        try (Hadir hadir = start("--path=/live", "--pages=none")) {
            InetSocketAddress at = hadir.address();
            assertThat(status(at, "GET", "/live/?EIO=4&transport=polling", "x")).isEqualTo(200);
            assertThat(status(at, "GET", "/socket.io/?EIO=4&transport=polling", "x"))
                    .isEqualTo(404);
            assertThat(status(at, "GET", "/", "x")).isEqualTo(404);
            assertThat(status(at, "GET", "/dashboard", "x")).isEqualTo(404);
        }
    }

    @Test
    void aRedisWithPresencesOfAnotherProgramIsRefusedUnlessAskedFor() throws Exception {
        REDIS.cli().set("room:presence:123:45", "abc", SetArgs.Builder.ex(600));
        assertThatThrownBy(AdminAddressIT::start)
                .hasMessageContaining("room:presence:123:45")
                .hasMessageContaining("--redis-prefix")
                .hasMessageContaining("--adopt-keys");
        assertThat(REDIS.cli().keys("hadir:*:used")).isEmpty();
        start("--redis-prefix=mine:").close();
        assertThat(REDIS.cli().get("room:presence:123:45")).isEqualTo("abc");
        start("--adopt-keys").close();
        start().close();
    }

    @Test
    void aSearchForSuchPresencesThatFailedIsRepeatedAndMarksNothing() throws Exception {
        REDIS.cli().set("room:presence:123:45", "abc", SetArgs.Builder.ex(600));
        REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.SCAN));
        Hadir hadir = start();
        try {
            assertThat(REDIS.cli().keys("hadir:*:used")).isEmpty();
            REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.SCAN));
            await().untilAsserted(() -> assertThat(FOREIGN).anyMatch(told -> told.contains("room:presence:123:45")));
        } finally {
            hadir.close();
            REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        }
    }
}
