package io.hadir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedCluster;
import io.hadir.embedded.EmbeddedRedis;
import io.hadir.presence.room.RoomId;
import io.hadir.server.ApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Ids that look like parts of keys or of scripts, on a whole server: each reaches only its own keys. */
class OddIdsIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final List<String> IDS = List.of(
            "*",
            "[a-z]*",
            "?",
            "}",
            "{}",
            "{a}",
            "a",
            "a:b",
            "a%3Ab",
            "a%253Ab",
            "room:123",
            "123",
            "auth0|5f7c",
            "org1/general",
            "adi+test@mail.com",
            "ruang tamu",
            "ä",
            "客厅",
            "👍🏽",
            "👍",
            "❤️",
            "__proto__",
            "constructor",
            "user",
            "index",
            "]] --[[",
            "'; redis.call('FLUSHALL') --",
            "%s%d{0}$1",
            "\\",
            "\"<b>&amp;");

    @Test
    void a22_a24_a39_onOneRedis() throws Exception {
        everyIdIsItsOwn(REDIS.url(), List.of(REDIS.url()), "");
    }

    @Test
    void a22_a24_a39_inACluster() throws Exception {
        try (EmbeddedCluster redis = EmbeddedCluster.start()) {
            List<String> masters =
                    redis.masters().stream().map(EmbeddedRedis::url).toList();
            everyIdIsItsOwn(redis.url(), masters, "{}");
        }
    }

    private static void everyIdIsItsOwn(String url, List<String> redis, String tag) throws Exception {
        Map<String, WireClient> clients = new LinkedHashMap<>();
        try (ApiServer server = ApiServer.start(url, "--sweep-seconds=1", "--grace-seconds=1", "--lease-seconds=3")) {
            ApiClient api = new ApiClient(server.url(), "Authorization", "Bearer " + ApiServer.KEY);
            for (String id : IDS) {
                WireClient client = new WireClient(server.port(), "{\"userId\":" + json(id) + "}");
                clients.put(id, client);
                JsonNode joined = client.ask("join_room", "{\"roomId\":" + json(id) + "}");
                assertThat(joined.path("ok").asBoolean()).as(joined.toString()).isTrue();
                assertThat(joined.path("userId").asString()).isEqualTo(id);
            }
            assertThat(presences(redis)).containsExactlyInAnyOrderElementsOf(expected(tag));
            eachUserIsAloneInTheirRoom(api);
            allAreListedInOneRoomInOrder(api, clients);
            eachUserHasTheirOwnCounter(api, clients);
            assertThat(rooms(api)).containsExactlyInAnyOrderElementsOf(with("together"));
            // Sweeps read every key and find nothing to remove.
            long begun = System.currentTimeMillis();
            await().atMost(Duration.ofSeconds(60)).until(() -> sweptAt(api) > begun);
            audit(api);
            eachUserIsAloneInTheirRoom(api);
            aKickRemovesOnlyThatUser(api, clients);
        } finally {
            clients.values().forEach(WireClient::close);
        }
    }

    private static void eachUserIsAloneInTheirRoom(ApiClient api) {
        for (String id : IDS) {
            for (String source : List.of("", "?source=scan", "?details=true")) {
                JsonNode listed = api.get(room(id) + "/participants" + source).json();
                assertThat(texts(listed.path("participants"), "userId")).as(id).containsExactly(id);
                assertThat(listed.path("viewerCount").asInt()).isEqualTo(1);
            }
            JsonNode user = api.get("/api/v1/users/" + segment(id)).json();
            assertThat(user.path("online").asBoolean()).isTrue();
            assertThat(texts(user.path("rooms"), "")).contains(id);
            JsonNode why = api.get(room(id) + "/participants/" + segment(id) + "/explain")
                    .json();
            assertThat(why.path("present").asBoolean()).isTrue();
            assertThat(why.path("presence").path("username").asString()).isEqualTo(id);
        }
    }

    private static void allAreListedInOneRoomInOrder(ApiClient api, Map<String, WireClient> clients) {
        for (WireClient client : clients.values()) {
            client.ask("join_room", "{\"roomId\":\"together\",\"focus\":false}");
        }
        List<String> paged = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page =
                    api.get(room("together") + "/participants?limit=4" + cursor).json();
            paged.addAll(texts(page.path("participants"), "userId"));
            cursor = page.path("nextCursor").isString()
                    ? "&cursor=" + page.path("nextCursor").asString()
                    : null;
        }
        assertThat(paged).containsExactlyInAnyOrderElementsOf(IDS);
        JsonNode scanned =
                api.get(room("together") + "/participants?source=scan").json();
        assertThat(texts(scanned.path("participants"), "userId")).containsExactlyElementsOf(paged);
        JsonNode known = clients.get("a").ask("room:participants", "{\"roomId\":\"together\"}");
        assertThat(texts(known.path("participants"), "userId")).containsExactlyElementsOf(paged);
    }

    private static void eachUserHasTheirOwnCounter(ApiClient api, Map<String, WireClient> clients) {
        for (String id : IDS) {
            assertThat(api.get("/api/v1/users/" + segment(id))
                            .json()
                            .path("activeRoom")
                            .asString())
                    .isEqualTo(id);
            String everybody = json(IDS);
            JsonNode sent = api.post(room(id) + "/messages", "{\"senderId\":\"s\",\"recipients\":" + everybody + "}")
                    .json();
            sent.path("results")
                    .forEach(one -> assertThat(one.path("shouldNotify").asBoolean())
                            .as(id + " " + one)
                            .isEqualTo(!one.path("userId").asString().equals(id)));
        }
        for (String id : IDS) {
            JsonNode unread =
                    api.get("/api/v1/users/" + segment(id) + "/unread").json();
            assertThat(unread.path("total").asInt()).isEqualTo(IDS.size() - 1);
            assertThat(unread.path("unread").propertyNames()).doesNotContain(id).hasSize(IDS.size() - 1);
        }
        clients.get("*").ask("room:focus", "{\"roomId\":\"{}\"}");
        JsonNode left = clients.get("*").ask("unread", "{\"roomIds\":[\"{}\",\"a:b\",\"*\"]}");
        assertThat(left.path("unread").toString()).isEqualTo("{\"{}\":0,\"a:b\":1,\"*\":0}");
        clients.get("*").ask("room:focus", "{\"roomId\":\"*\"}");
    }

    private static void aKickRemovesOnlyThatUser(ApiClient api, Map<String, WireClient> clients) {
        List<String> left = new ArrayList<>(IDS);
        for (String id : List.of("*", "[a-z]*", "{}", "a:b", "a%3Ab", "👍🏽")) {
            assertThat(api.delete(room("together") + "/participants/" + segment(id))
                            .status())
                    .isEqualTo(200);
            left.remove(id);
            JsonNode listed = api.get(room("together") + "/participants").json();
            assertThat(texts(listed.path("participants"), "userId")).containsExactlyInAnyOrderElementsOf(left);
            assertThat(clients.get(id).heard("room:force-leave").path("roomId").asString())
                    .isEqualTo("together");
        }
        eachUserIsAloneInTheirRoom(api);
    }

    private static void audit(ApiClient api) {
        api.post("/api/v1/audit", "{}");
        await().until(
                        () -> api.get("/api/v1/audit").json().at("/audit/phase").asString(),
                        Set.of("finished", "failed")::contains);
        assertThat(api.get("/api/v1/audit").json().at("/audit/phase").asString())
                .isEqualTo("finished");
        assertThat(api.get("/api/v1/audit").json().at("/audit/discrepancies")).isEmpty();
    }

    private static long sweptAt(ApiClient api) {
        JsonNode sweep = api.get("/readyz").json().path("lastSweep");
        return sweep.path("scanned").asInt(0) < IDS.size()
                ? 0
                : sweep.path("startedAt").asLong(0);
    }

    private static List<String> rooms(ApiClient api) {
        List<String> found = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page = api.get("/api/v1/rooms?limit=7" + cursor).json();
            found.addAll(texts(page.path("rooms"), "roomId"));
            cursor = page.path("nextCursor").isString()
                    ? "&cursor=" + page.path("nextCursor").asString()
                    : null;
        }
        return found;
    }

    private static List<String> with(String room) {
        List<String> all = new ArrayList<>(IDS);
        all.add(room);
        return all;
    }

    private static Set<String> expected(String tag) {
        Set<String> keys = new TreeSet<>();
        for (String id : IDS) {
            String written = new RoomId(id).encoded();
            keys.add("room:presence:" + (tag.isEmpty() ? written : "{" + written + "}") + ":" + written);
        }
        return keys;
    }

    private static Set<String> presences(List<String> redis) {
        Set<String> keys = new TreeSet<>();
        for (String url : redis) {
            try (RedisClient client = RedisClient.create(url);
                    StatefulRedisConnection<String, String> connection = client.connect()) {
                keys.addAll(connection.sync().keys("room:presence:*"));
            }
        }
        return keys;
    }

    private static String room(String id) {
        return "/api/v1/rooms/" + segment(id);
    }

    private static String segment(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String json(Object value) {
        return JsonMapper.shared().writeValueAsString(value);
    }

    private static List<String> texts(JsonNode array, String field) {
        List<String> found = new ArrayList<>();
        array.forEach(one ->
                found.add(field.isEmpty() ? one.asString() : one.path(field).asString()));
        return found;
    }
}
