package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.ApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.server.support.OpenApi;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Router;
import io.hadir.testing.TestRedis;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** {@code openapi.json} is valid, and describes exactly the routes of this server. */
class OpenApiIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @Test
    void aThirdPartyParserAcceptsTheDocument() {
        ParseOptions options = new ParseOptions();
        options.setResolve(true);
        options.setResolveFully(true);
        SwaggerParseResult result =
                new OpenAPIV3Parser().readContents(OpenApi.document().toString(), null, options);
        assertThat(result.getMessages()).isEmpty();
        assertThat(result.isOpenapi31()).isTrue();
        assertThat(result.getOpenAPI().getPaths())
                .hasSameSizeAs(OpenApi.document().get("paths"));
    }

    @Test
    void theDocumentListsExactlyTheRoutesOfTheApi() throws Exception {
        try (ApiServer server = ApiServer.start(REDIS.url())) {
            List<String> routes = new ArrayList<>(server.routes());
            StaticFiles.Site site = new StaticFiles.Site("/socket.io/", true, true);
            Router pages = new Router();
            StaticFiles.addRoomPage(pages, Origins.ANY, site);
            StaticFiles.addDashboard(pages, Origins.ANY, site);
            routes.removeAll(pages.routes());
            assertThat(OpenApi.operations()).containsExactlyInAnyOrderElementsOf(routes);
        }
    }

    @Test
    void everyExampleMatchesItsSchema() {
        List<JsonNode> contents = new ArrayList<>();
        collect(OpenApi.document(), contents);
        assertThat(contents)
                .hasSizeGreaterThan(20)
                .allSatisfy(content -> assertThat(OpenApi.problems(
                                content.get("schema").get("$ref").asString(),
                                content.get("example").toString()))
                        .as(content.toString())
                        .isEmpty());
    }

    private static void collect(JsonNode node, List<JsonNode> contents) {
        if (node.has("example") && node.path("schema").has("$ref")) {
            contents.add(node);
        }
        node.forEach(child -> collect(child, contents));
    }

    @Test
    void everyComponentIsUsedAndEveryReferenceResolves() {
        Set<String> used = new HashSet<>();
        references(OpenApi.document(), used);
        Set<String> there = new HashSet<>();
        for (String kind : List.of("schemas", "responses", "parameters")) {
            OpenApi.document()
                    .at("/components/" + kind)
                    .propertyNames()
                    .forEach(name -> there.add("#/components/" + kind + "/" + name));
        }
        assertThat(used).containsExactlyInAnyOrderElementsOf(there);
    }

    private static void references(JsonNode node, Set<String> found) {
        if (node.path("$ref").isString()) {
            found.add(node.get("$ref").asString());
        }
        node.forEach(child -> references(child, found));
    }

    @Test
    void theDocumentNeedsNoKey() throws Exception {
        try (ApiServer server = ApiServer.start(REDIS.url())) {
            ApiClient anybody = new ApiClient(server.url());
            assertThat(anybody.get("/openapi.json").json()).isEqualTo(OpenApi.document());
            assertThat(anybody.get("/healthz").status()).isEqualTo(200);
            assertThat(anybody.get("/readyz").status()).isEqualTo(200);
        }
    }
}
