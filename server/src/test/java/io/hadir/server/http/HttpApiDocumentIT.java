package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.support.CurlLine;
import io.hadir.server.support.OpenApi;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The examples of {@code docs/adopt/http-api.md} do what the page says. */
class HttpApiDocumentIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final JsonMapper JSON = JsonMapper.shared();
    /** A line with the request and its body, then the answer, up to an empty line or the end of the block. */
    private static final Pattern CALL =
            Pattern.compile("(?m)^(GET|POST|PUT|DELETE) (/\\S+)(?: (\\{.+))?\n((?:[{ ].*\n)+)");

    /** A time that has to be in the future. */
    private static final String UNTIL = "1794790800000";

    private static final Set<String> OPEN_TEXTS = Set.of("id", "nextCursor", "nodeId", "phase", "socketId", "version");
    private static final Set<String> OPEN_KEYS = Set.of("counts");
    /** Fields that depend on how long the test has taken. */
    private static final Set<String> OPEN_VALUES = Set.of("lastSweep");

    /** A minute of yesterday or earlier. */
    private static final Map<String, String> HISTORY = Map.of(
            "0:users", "12",
            "0:rooms", "3",
            "0:sockets", "14",
            "0:joins", "5",
            "0:leaves:left", "2",
            "0:leaves:disconnected", "1",
            "0:sweep:micros", "3100",
            "0:redis:micros", "412000",
            "0:redis:commands", "1000");

    private record Example(String line, JsonNode answer) {}

    private static List<Example> examples() throws IOException {
        String page = Files.readString(Path.of("docs/adopt/http-api.md"));
        List<Example> found = new ArrayList<>();
        Matcher calls = CALL.matcher(page);
        while (calls.find()) {
            found.add(new Example(curl(calls.group(1), calls.group(2), calls.group(3)), JSON.readTree(calls.group(4))));
        }
        return found;
    }

    private static String inAnHour() {
        return Long.toString(System.currentTimeMillis() + 3_600_000);
    }

    private static String curl(String method, String path, @Nullable String body) {
        String json = body == null ? "" : "--json '" + body.replace(UNTIL, inAnHour()) + "' ";
        return "curl -s -X " + method + " -H \"$AUTH\" " + json + "\"$HADIR_URL" + path + "\"";
    }

    /** The real curl if this machine has it, and the same requests without it. */
    static Stream<CurlLine.Runner> runners() {
        return Stream.concat(Stream.of(CurlLine.WITHOUT_CURL), CurlLine.withCurl().stream());
    }

    @ParameterizedTest
    @MethodSource("runners")
    void everyExampleIsAnsweredAsThePageSays(CurlLine.Runner runner) throws Exception {
        try (ApiServer server = ApiServer.start(REDIS.url());
                WireClient ana = new WireClient(server.port(), "{\"userId\":\"ana\"}");
                WireClient budi = new WireClient(server.port(), "{\"userId\":\"budi\"}")) {
            ana.ask("join_room", "{\"roomId\":\"lobby\"}");
            budi.ask("join_room", "{\"roomId\":\"lobby\"}");
            await().until(() -> REDIS.cli().exists("user:ana:online", "user:budi:online") == 2);
            REDIS.cli().hset("hadir:{stats}:history:498528", HISTORY);
            Map<String, String> variables = Map.of("HADIR_URL", server.url(), "AUTH", "X-API-Key: " + ApiServer.KEY);
            for (Example example : examples()) {
                if (example.line.contains("-X GET ")) {
                    // Nodes write recent changes together, once a second.
                    await().untilAsserted(() -> check(example, runner, variables));
                } else {
                    check(example, runner, variables);
                }
            }
        }
    }

    private static void check(Example example, CurlLine.Runner runner, Map<String, String> variables) throws Exception {
        String answer = runner.run(example.line, variables);
        compare(example.line + "\n" + answer, "", example.answer, JSON.readTree(answer));
    }

    private static void compare(String line, String name, JsonNode said, JsonNode got) {
        if (OPEN_VALUES.contains(name)) {
            return;
        }
        if (said.isObject() && !OPEN_KEYS.contains(name)) {
            assertThat(got.propertyNames()).as(line).containsExactlyElementsOf(said.propertyNames());
            said.propertyNames().forEach(key -> compare(line, key, said.get(key), got.get(key)));
        } else if (said.isArray() && !said.isEmpty()) {
            assertThat(got.size()).as(line).isEqualTo(said.size());
            for (int i = 0; i < said.size(); i++) {
                compare(line, name, said.get(i), got.get(i));
            }
        } else if ((said.isString() && !OPEN_TEXTS.contains(name)) || said.isBoolean() || said.isNull()) {
            assertThat(got).as(line + " " + name).isEqualTo(said);
        } else {
            assertThat(got.getNodeType()).as(line + " " + name).isEqualTo(said.getNodeType());
        }
    }

    @Test
    void everyCallIsOnThePage() throws Exception {
        Set<String> shown = new TreeSet<>();
        for (Example example : examples()) {
            CurlLine line = CurlLine.parse(example.line, Map.of("HADIR_URL", "http://x", "AUTH", "X-API-Key: k"));
            String path = line.uri().getPath();
            OpenApi.operations().stream()
                    .filter(operation ->
                            (line.method() + " " + path).matches(operation.replaceAll("\\{\\w+}", "[^/]+")))
                    .forEach(shown::add);
        }
        shown.add("GET /openapi.json");
        shown.add("GET /metrics"); // text for Prometheus, see docs/operate/operations.md
        assertThat(shown).containsExactlyInAnyOrderElementsOf(OpenApi.operations());
    }
}
