package io.hadir.server.inspect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.SocketId;
import io.hadir.server.ApiServer;
import io.hadir.server.cli.Cli;
import io.hadir.server.support.ApiClient;
import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import io.lettuce.core.SetArgs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Audits of two real servers find and repair what was broken by hand, and nothing else. */
@SuppressWarnings("try") // some clients only have to be present
class AuditIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private final List<ApiServer> servers = new ArrayList<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @AfterEach
    void stop() {
        servers.forEach(ApiServer::close);
    }

    @Test
    void everyDiscrepancyIsFoundAndRepaired() throws Exception {
        ApiServer a = start("--sweep-seconds=3600");
        ApiServer b = start("--sweep-seconds=3600");
        ApiClient api = api(a);
        try (WireClient ana = join(a, "ana", "r1");
                WireClient ben = join(b, "ben", "r1");
                WireClient cid = join(b, "cid", "r1");
                WireClient hal = join(b, "hal", "r1");
                WireClient ivy = join(a, "ivy", "r2");
                WireClient jon = join(b, "jon", "r3")) {
            String nodeOfB = nodeOf("room:presence:r1:ben");
            REDIS.cli().persist("room:presence:r1:ana");
            REDIS.cli().persist("room:presence:r3:jon");
            REDIS.cli().zrem("hadir:room:r1:index", "ben");
            REDIS.cli().del("room:r1:user:cid");
            write("room:presence:r1:dan", "nobody.here");
            write("room:presence:r1:eve", nodeOfB + ".nosuch");
            REDIS.cli().zadd("hadir:room:r1:index", 1, "fay");
            write("room:r1:user:gil", "{\"sockets\":{},\"joinedAt\":1}");
            REDIS.cli().del("room:presence:r1:hal");
            write("room:presence:r1:kim", "");
            REDIS.cli().rpush("room:presence:r1:leo", "x");
            REDIS.cli().set("hadir:room:r2:lapses", "x");
            REDIS.cli().rpush("hadir:room:r4:index", "x");
            REDIS.cli().set("user:mia:online", "true");
            REDIS.cli().zadd("hadir:{rooms}:occupied", 0, "ghosttown");
            // A join is recorded there after it was answered.
            await().until(() -> REDIS.cli().zscore("hadir:{rooms}:occupied", "r3") != null);
            REDIS.cli().zrem("hadir:{rooms}:occupied", "r3");

            assertThat(api.get("/api/v1/audit").json().path("audit").isNull()).isTrue();
            begin(api, false);
            await().untilAsserted(() -> assertThat(found(audit(api), "discrepancies"))
                    .contains(
                            "key_without_ttl r1 ana",
                            "key_without_ttl r3 jon",
                            "key_without_index r1 ben",
                            "key_without_details r1 cid",
                            "key_without_lease r1 dan",
                            "key_without_socket r1 eve",
                            "index_without_key r1 fay",
                            "details_without_key r1 gil",
                            "index_without_key r1 hal",
                            "socket_without_key r1 hal",
                            "room_without_users ghosttown null",
                            "room_without_entry r3 null",
                            "key_without_socket_id r1 kim",
                            "key_without_socket_id r1 leo",
                            "room_unsound r2 null",
                            "room_unsound r4 null",
                            "online_without_ttl null mia"));
            assertThat(audit(api).path("phase").asString()).isNotEqualTo("finished");

            // The running audit repairs what it has found.
            begin(api, true);
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> audit(api).path("phase").asString().equals("finished"));
            assertThat(found(audit(api), "discrepancies")).isEmpty();
            assertThat(found(audit(api), "repaired"))
                    .contains("key_without_ttl r3 jon", "key_without_lease r1 dan", "room_unsound r4 null");

            assertThat(hal.heard("room:force-leave").path("reason").asString()).isEqualTo("presence_lost");
            assertThat(REDIS.cli().ttl("room:presence:r1:ana")).isPositive();
            assertThat(REDIS.cli().ttl("room:presence:r3:jon")).isPositive();
            assertThat(REDIS.cli()
                            .exists(
                                    "room:presence:r1:dan",
                                    "room:presence:r1:eve",
                                    "room:r1:user:gil",
                                    "room:presence:r1:kim",
                                    "room:presence:r1:leo",
                                    "hadir:room:r2:lapses",
                                    "hadir:room:r4:index"))
                    .isZero();
            assertThat(REDIS.cli().ttl("user:mia:online")).isPositive();
            assertThat(REDIS.cli().zrange("hadir:room:r1:index", 0, -1)).containsExactlyInAnyOrder("ana", "ben", "cid");
            assertThat(REDIS.cli().zrange("hadir:{rooms}:occupied", 0, -1)).containsExactlyInAnyOrder("r1", "r2", "r3");
        }
    }

    @Test
    void whatNoSweepRepairsShowsInTheExitCodeAndTheMetric() throws Exception {
        ApiServer a = start("--sweep-seconds=1");
        try (WireClient ana = join(a, "ana", "r1")) {
            REDIS.cli().zadd("hadir:room:r1:index", 1, "fay");
            write("room:r1:user:gil", "{\"sockets\":{},\"joinedAt\":1}");

            assertThat(run(a, "audit")).isEqualTo(1);
            assertThat(out.toString(UTF_8))
                    .contains("details_without_key  r1    gil", "Discrepancies: 1; 1 presence compared")
                    .doesNotContain("fay");
            assertThat(metrics(a)).contains("hadir_audit_discrepancies{kind=\"details_without_key\"} 1.0");

            assertThat(run(a, "audit", "--repair")).isZero();
            assertThat(out.toString(UTF_8)).contains("REPAIRED", "No discrepancies: 1 presence compared");
            assertThat(run(a, "audit", "--json")).isZero();
            assertThat(metrics(a)).contains("hadir_audit_discrepancies{kind=\"details_without_key\"} 0.0");
        }
    }

    @Test
    void aServerThatDoesNotAnswerIsNamedAndItsUsersAreLeftAlone() throws Exception {
        ApiServer a = start("--sweep-seconds=3600");
        try (WireClient ana = join(a, "ana", "r1")) {
            REDIS.cli().sadd("hadir:{nodes}:known", "older");
            write("hadir:{nodes}:lease:older", "{}");
            String details =
                    "{\"sockets\":{\"older.x\":1},\"joinedAt\":1,\"socketId\":\"older.x\",\"userId\":\"dan\",\"roomId\":\"r1\"}";
            write("room:presence:r1:dan", "older.x");
            write("room:r1:user:dan", details);
            REDIS.cli().zadd("hadir:room:r1:index", 1, "dan");

            assertThat(run(a, "audit")).isEqualTo(5);
            assertThat(err.toString(UTF_8)).contains("hadir: server older did not answer");
            assertThat(out.toString(UTF_8)).startsWith("No discrepancies: 2 presences compared");
        }
    }

    @Test
    void aHeldSeatIsExplainedAndNeitherFoundNorRepaired() throws Exception {
        String[] flags = {"--sweep-seconds=1", "--ping-interval-seconds=1", "--ping-timeout-seconds=1"};
        ApiServer a = start(flags);
        ApiServer b = start(flags);
        try (FaultProxy mobile = new FaultProxy(a.port());
                WireClient ben = join(b, "ben", "r1");
                WireClient phone = join(mobile.port(), "phone", "r1")) {
            assertThat(phone.ask("room:pause", "{}").path("ok").asBoolean()).isTrue();
            mobile.freeze();
            String seat = "/api/v1/rooms/r1/participants/phone/explain";
            await().until(() -> api(b).get(seat).json().at("/presence/held").asBoolean());
            assertThat(api(b).get(seat).json().path("listed").asBoolean()).isTrue();
            assertThat(run(b, "explain", "r1", "phone")).isZero();
            assertThat(out.toString(UTF_8)).contains("away");
            for (ApiServer by : List.of(a, b)) {
                assertThat(run(by, "audit", "--repair")).isZero();
                assertThat(out.toString(UTF_8)).contains("No discrepancies: 2 presences compared");
            }
            assertThat(REDIS.cli().ttl("room:presence:r1:phone")).isBetween(1L, 1800L);
            assertThat(api(a).get("/api/v1/rooms/r1").json().path("viewerCount").asInt())
                    .isEqualTo(2);
        }
    }

    @Test
    void aBusySystemHasNoDiscrepancies() throws Exception {
        ApiServer a = start("--sweep-seconds=1", "--events-per-second=0");
        ApiServer b = start("--sweep-seconds=1", "--events-per-second=0");
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong steps = new AtomicLong();
        List<Thread> guests = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Thread guest = new Thread(() -> wander(number % 2 == 0 ? a : b, number, over, steps), "guest" + i);
            guest.start();
            guests.add(guest);
        }
        try {
            await().until(() -> steps.get() > 50);
            for (int i = 0; i < 3; i++) {
                long before = steps.get();
                ApiClient api = api(i % 2 == 0 ? a : b);
                begin(api, false);
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> audit(api).path("phase").asString().equals("finished"));
                assertThat(audit(api).path("discrepancies")).isEmpty();
                assertThat(audit(api).path("silentNodes")).isEmpty();
                assertThat(steps.get()).isGreaterThan(before);
            }
        } finally {
            over.set(true);
            for (Thread guest : guests) {
                guest.join();
            }
        }
    }

    private static void wander(ApiServer server, int number, AtomicBoolean over, AtomicLong steps) {
        Random random = new Random(number);
        while (!over.get()) {
            try (WireClient client = new WireClient(server.port(), "{\"userId\":\"u" + number / 2 + "\"}")) {
                for (int i = 0; i < 10 && !over.get(); i++) {
                    String room = "{\"roomId\":\"r" + random.nextInt(4) + "\"}";
                    client.ask(random.nextInt(3) == 0 ? "leave_room" : "join_room", room);
                    steps.incrementAndGet();
                }
            }
        }
    }

    private ApiServer start(String... flags) throws IOException {
        List<String> all = new ArrayList<>(List.of(flags));
        all.addAll(List.of("--grace-seconds=1", "--lease-seconds=3"));
        ApiServer server = ApiServer.start(REDIS.url(), all.toArray(String[]::new));
        servers.add(server);
        return server;
    }

    private static ApiClient api(ApiServer server) {
        return new ApiClient(server.url(), "Authorization", "Bearer " + ApiServer.KEY);
    }

    private static void begin(ApiClient api, boolean repair) {
        assertThat(api.post("/api/v1/audit", "{\"repair\":" + repair + "}").status())
                .isEqualTo(200);
    }

    private static JsonNode audit(ApiClient api) {
        return api.get("/api/v1/audit").json().path("audit");
    }

    private static List<String> found(JsonNode audit, String list) {
        List<String> found = new ArrayList<>();
        audit.path(list)
                .forEach(one -> found.add(one.path("kind").asString() + " "
                        + one.path("roomId").asString("null") + " "
                        + one.path("userId").asString("null")));
        return found;
    }

    private String metrics(ApiServer server) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/metrics"))
                                .header("X-API-Key", ApiServer.KEY)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private int run(ApiServer server, String... arguments) {
        out.reset();
        err.reset();
        return Cli.run(
                List.of(arguments),
                Map.of("HADIR_URL", server.url(), "HADIR_API_KEY", ApiServer.KEY),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8));
    }

    private static WireClient join(ApiServer server, String user, String room) {
        return join(server.port(), user, room);
    }

    private static WireClient join(int port, String user, String room) {
        WireClient client = new WireClient(port, "{\"userId\":\"" + user + "\"}");
        assertThat(client.ask("join_room", "{\"roomId\":\"" + room + "\"}")
                        .path("ok")
                        .asBoolean())
                .isTrue();
        return client;
    }

    /** Writes a key as another program would, with a TTL. */
    private static void write(String key, String value) {
        REDIS.cli().set(key, value, SetArgs.Builder.ex(1000));
    }

    private static String nodeOf(String presence) {
        return new SocketId(REDIS.cli().get(presence)).node();
    }
}
