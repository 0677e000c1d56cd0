package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import io.hadir.server.support.Exposition;
import io.hadir.testing.WireClient;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The metrics of a real node after some traffic, and the board, alerts and page that use them. */
class MetricsIT {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private static final String LOBBY = "{\"roomId\":\"lobby\"}";
    private static final String NASTY = "{\"roomId\":\"EvilRoom\",\"username\":\"<Evil> \\\"} 1\"}";
    private static final Pattern NAME = Pattern.compile("\\b(?:hadir|jvm|process)_[a-z0-9_]+\\b");
    private static final Pattern ON_THE_PAGE = Pattern.compile("`(hadir_[a-z_]+)`");

    private static EmbeddedRedis redis;
    private static ApiServer hadir;

    @BeforeAll
    static void start() throws Exception {
        redis = EmbeddedRedis.start();
        hadir = ApiServer.startKeyless(
                redis.url(), "--grace-seconds=1", "--sweep-seconds=1", "--lease-seconds=3", "--events-per-second=10");
        // The metrics of collections appear with the first one.
        System.gc();
    }

    @AfterAll
    static void stop() {
        hadir.close();
        redis.close();
    }

    @Test
    void trafficIsCounted() {
        try (WireClient adi = new WireClient(hadir.port(), "{\"userId\":\"adi\"}")) {
            adi.ask("join_room", LOBBY);
            adi.ask("room:heartbeat", LOBBY);
            try (WireClient budi = new WireClient(hadir.port(), "{\"userId\":\"budi\"}")) {
                budi.ask("join_room", LOBBY);
                eventually(() -> {
                    Exposition now = scrape();
                    assertThat(now.value("hadir_sockets")).isEqualTo(2);
                    assertThat(now.value("hadir_rooms")).isEqualTo(1);
                    assertThat(now.value("hadir_participants")).isEqualTo(2);
                    assertThat(now.value("hadir_memberships")).isEqualTo(2);
                    assertThat(now.value("hadir_joins_total{result=\"joined\"}"))
                            .isGreaterThanOrEqualTo(2);
                    assertThat(now.value("hadir_heartbeats_total")).isGreaterThanOrEqualTo(1);
                    assertThat(now.value("hadir_room_messages_total")).isGreaterThanOrEqualTo(1);
                    assertThat(now.value("hadir_deliveries_total")).isGreaterThanOrEqualTo(1);
                });
            }
            // Budi disconnected, and Adi is told after the grace period.
            eventually(() -> {
                Exposition now = scrape();
                assertThat(now.value("hadir_leaves_total{reason=\"disconnected\"}"))
                        .isGreaterThanOrEqualTo(1);
                assertThat(now.value("hadir_disconnect_told_seconds_count")).isGreaterThanOrEqualTo(1);
                assertThat(now.value("hadir_disconnect_told_seconds_sum")).isGreaterThan(0.9);
            });
            delete("room:presence:lobby:adi");
            eventually(() -> assertThat(scrape().value("hadir_force_leaves_total{reason=\"presence_lost\"}"))
                    .isGreaterThanOrEqualTo(1));
        }
        eventually(() -> {
            Exposition now = scrape();
            assertThat(now.value("hadir_sessions_closed_total{reason=\"transport_close\"}"))
                    .isGreaterThanOrEqualTo(1);
            assertThat(now.value("hadir_sweep_seconds_count")).isGreaterThanOrEqualTo(1);
            assertThat(now.value("hadir_sweep_last_finished_timestamp_seconds")).isGreaterThan(1e9);
            assertThat(now.value("hadir_lease_held")).isEqualTo(1);
            assertThat(now.value("hadir_redis_up")).isEqualTo(1);
            assertThat(now.value("hadir_redis_command_seconds_count{command=\"expire\"}"))
                    .isGreaterThanOrEqualTo(1);
            assertThat(now.value("hadir_build_info{version=\"1.2.3-test\"}")).isEqualTo(1);
            assertThat(now.value("process_files_open_files")).isGreaterThan(1);
        });
    }

    @Test
    void eventsAboveTheLimitAreCounted() {
        try (WireClient adi = new WireClient(hadir.port(), "{\"userId\":\"adi\"}")) {
            for (int i = 0; i < 30; i++) {
                adi.emit("room:heartbeat", LOBBY);
            }
            eventually(() ->
                    assertThat(scrape().value("hadir_events_limited_total")).isGreaterThan(0));
        }
    }

    @Test
    void theTextFollowsTheRulesOfPromtool() {
        Exposition now = scrape();

        assertThat(now.problems()).isEmpty();
        assertThat(now.metrics()).hasSizeGreaterThan(40);
    }

    @Test
    void a44_nothingFromAClientIsInTheMetrics() throws Exception {
        try (WireClient evil = new WireClient(hadir.port(), "{\"userId\":\"EvilUser\"}")) {
            evil.ask("join_room", NASTY);
            evil.ask("EvilEvent{a=\\\"b\\\"}\\n", NASTY);
            evil.ask("room:heartbeat", "{\"roomId\":\"Evil\\nRoom\"}");
            get(hadir, "/Evil%0Apath", "Origin", "http://evil.example");
            String text = get(hadir, "/metrics").body();

            assertThat(text).doesNotContainIgnoringCase("evil");
            assertThat(Exposition.read(text).labelValues())
                    .allSatisfy(value -> assertThat(value).matches("[\\w .'()-]+"));
        }
    }

    @Test
    void theMetricsNeedTheApiKey() throws Exception {
        try (ApiServer guarded = ApiServer.start(redis.url())) {
            HttpResponse<String> without = get(guarded, "/metrics");
            HttpResponse<String> with = get(guarded, "/metrics", "Authorization", "Bearer " + ApiServer.KEY);

            assertThat(without.statusCode()).isEqualTo(401);
            assertThat(without.body()).doesNotContain("hadir_sockets");
            assertThat(with.statusCode()).isEqualTo(200);
            assertThat(with.headers().firstValue("Content-Type")).hasValue("text/plain; version=0.0.4; charset=utf-8");
        }
    }

    @Test
    void theBoardUsesOnlyMetricsThatExist() throws Exception {
        JsonNode board = JsonMapper.shared().readTree(Path.of("ops/grafana/hadir.json"));
        List<String> expressions = new ArrayList<>();
        board.findValues("expr").forEach(expr -> expressions.add(expr.stringValue()));
        board.findValues("query").stream()
                .filter(query -> query.isString() && query.stringValue().contains("("))
                .forEach(query -> expressions.add(query.stringValue()));

        assertThat(expressions).hasSizeGreaterThan(40);
        assertAllThere(expressions);
        Set<Integer> ids = new TreeSet<>();
        board.get("panels")
                .forEach(
                        panel -> assertThat(ids.add(panel.get("id").intValue())).isTrue());
    }

    @Test
    void theBoardShowsEveryMetricOfOurs() throws Exception {
        String board = Files.readString(Path.of("ops/grafana/hadir.json"));

        assertThat(scrape().metrics())
                .filteredOn(MetricsIT::isOurs)
                .allSatisfy(name -> assertThat(board).contains(name));
    }

    @Test
    void theAlertsUseOnlyMetricsThatExistAndAreExplained() throws Exception {
        String alerts = Files.readString(Path.of("ops/helm/hadir/alerts.yml"));
        Matcher expression = Pattern.compile("(?m)^ +expr: (.+)$").matcher(alerts);
        List<String> expressions = new ArrayList<>();
        while (expression.find()) {
            expressions.add(expression.group(1));
        }

        assertThat(expressions).hasSizeGreaterThan(5);
        assertAllThere(expressions);
        assertThat(alerts.split("- alert: ", -1)).hasSameSizeAs(alerts.split(" description: ", -1));
    }

    @Test
    void thePageNamesEveryMetricOfOursAndItsNameTellsItsKind() throws Exception {
        String page = Files.readString(Path.of("docs/operate/operations.md"));
        Set<String> written = new TreeSet<>();
        Matcher name = ON_THE_PAGE.matcher(page.substring(page.indexOf("## Metrics")));
        while (name.find()) {
            written.add(name.group(1));
        }

        eventually(() -> {
            Exposition now = scrape();
            assertThat(now.metrics().stream().filter(MetricsIT::isOurs)).isSubsetOf(written);
            assertThat(now.metrics()).containsAll(written);
            written.forEach(one -> assertThat(now.type(one)).as(one).isEqualTo(kindByName(one)));
        });
    }

    /** As the page says. */
    private static String kindByName(String metric) {
        if (metric.endsWith("_total")) {
            return "counter";
        }
        return metric.endsWith("_seconds") && !metric.endsWith("_timestamp_seconds") ? "histogram" : "gauge";
    }

    private static boolean isOurs(String metric) {
        return metric.startsWith("hadir_") && !metric.endsWith("_max");
    }

    private static void delete(String key) {
        RedisClient client = RedisClient.create(redis.url());
        client.connect().sync().del(key);
        client.shutdown();
    }

    private static void assertAllThere(List<String> expressions) {
        // Metrics of Redis commands and collections appear with the first of each.
        eventually(() -> {
            Set<String> there = scrape().names();
            for (String expression : expressions) {
                Matcher name = NAME.matcher(expression);
                assertThat(name.find()).as(expression).isTrue();
                do {
                    assertThat(there).as(expression).contains(name.group());
                } while (name.find());
            }
        });
    }

    private static void eventually(ThrowingRunnable assertion) {
        await().untilAsserted(assertion);
    }

    private static HttpResponse<String> get(ApiServer server, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(Duration.ofSeconds(10));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static Exposition scrape() {
        try {
            return Exposition.read(get(hadir, "/metrics").body());
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }
}
