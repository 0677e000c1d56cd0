package io.hadir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.ApiServer;
import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.server.support.ApiClient.Answer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawConnection.Response;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to the HTTP API that are refused before a route reads them. */
@ExtendWith(NoLeaks.class)
class BadApiRequestIT extends OnApiServer {
    private static final String STATUS = "/api/v1/users/status";
    private static final String SETTINGS = "/api/v1/rooms/r/settings";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: y",
                "Content-Type: text/plain",
                "Content-Type: application/x-www-form-urlencoded",
                "Content-Type: multipart/form-data; boundary=x",
                "Content-Type: application/jsonx",
                "Content-Type: ",
                "Content-Type: ;charset=utf-8"
            })
    void a18_aBodyThatIsNotDeclaredAsJsonIs415(String header) throws Exception {
        try (RawConnection client = connect()) {
            Response response =
                    client.post(STATUS, "{\"userIds\":[]}", AUTHORIZED, header).response();
            assertThat(response.status()).isEqualTo(415);
            assertThat(response.body()).contains("unsupported_media_type");
        }
    }

    @Test
    void aBodyMayDeclareItsCharset() throws Exception {
        try (RawConnection client = connect()) {
            assertThat(client.post(
                                    STATUS,
                                    "{\"userIds\":[]}",
                                    AUTHORIZED,
                                    "Content-Type: Application/JSON; charset=UTF-8")
                            .response()
                            .status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd", "identity"})
    void a18_compressedBodiesAre415(String encoding) throws Exception {
        try (RawConnection client = connect()) {
            Response response = client.post(STATUS, "{}", AUTHORIZED, JSON, "Content-Encoding: " + encoding)
                    .response();
            assertThat(response.status()).isEqualTo(415);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u00f4\u0090\u0080\u0080",
                "\u00c0\u0080",
                "\u00ed\u00a0\u0080",
                "\u00e0\u0080\u0080",
                "\u00f8\u0088\u0080\u0080\u0080",
                "\u00ff",
                "\u00c3",
                "\u0080"
            })
    void a20_aBodyThatIsNotUtf8Is400(String bytes) throws Exception {
        String body = "{\"userIds\":[\"a" + bytes + "\"]}";
        try (RawConnection client = connect()
                .send("POST " + STATUS + " HTTP/1.1\r\nHost: x\r\n" + AUTHORIZED + "\r\n" + JSON
                        + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)) {
            Response response = client.response();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).contains("\"field\":\"body\"");
        }
    }

    @Test
    void a11_aBodyOfTwoMebibytesIsReadAndOneByteMoreIsRefused() throws Exception {
        int most = 2 * 1024 * 1024;
        String start = "{\"userIds\":[\"a\"]";
        String body = start + " ".repeat(most - start.length() - 1) + "}";
        try (RawConnection client = connect()) {
            assertThat(client.post(STATUS, body, AUTHORIZED, JSON).response().status())
                    .isEqualTo(200);
        }
        try (RawConnection client = connect()) {
            Response response =
                    client.post(STATUS, body + " ", AUTHORIZED, JSON).response();
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.body()).contains("payload_too_large");
            assertThat(client.isClosedByServer()).isTrue();
        }
        try (RawConnection client = connect()
                .send("PUT " + SETTINGS + " HTTP/1.1\r\nHost: x\r\n" + AUTHORIZED + "\r\n" + JSON
                        + "\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n" + "x".repeat(0x100000) + "\r\n100001\r\n"
                        + "x".repeat(0x100001) + "\r\n")) {
            assertThat(client.response().status()).isEqualTo(413);
        }
        try (RawConnection client = connect()
                .send("GET /api/v1/rooms HTTP/1.1\r\nHost: x\r\n" + AUTHORIZED + "\r\nContent-Length: " + (most + 1)
                        + "\r\n\r\n")) {
            assertThat(client.response().status()).isEqualTo(413);
        }
        try (RawConnection client = connect().send("GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")) {
            Response response = client.response();
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.body()).contains("No body is allowed here.");
        }
    }

    @Test
    void a40_withoutTheKeyEveryPathBelowApiIs401() throws Exception {
        ApiClient stranger = new ApiClient(server.url());
        for (String target : List.of("/api/v1/rooms", "/api/v1/nothing", "/api", "/api/", "/%61pi/v1/rooms")) {
            Answer answer = stranger.get(target);
            assertThat(answer.status()).as(target).isEqualTo(401);
            assertThat(answer.code()).isEqualTo("unauthenticated");
            assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer realm=\"hadir\"");
        }
        assertThat(stranger.put("/api/v1/rooms", "{}").status()).isEqualTo(401);
        assertThat(new ApiClient(server.url(), "X-API-Key", ApiServer.KEY + "x")
                        .delete("/api/v1/rooms/r/participants/u")
                        .status())
                .isEqualTo(401);
        // Refused by its head, so the announced body need not arrive.
        try (RawConnection client = connect()
                .send("POST " + STATUS + " HTTP/1.1\r\nHost: x\r\n" + JSON + "\r\nContent-Length: 2000000\r\n\r\n")) {
            assertThat(client.response().status()).isEqualTo(401);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a40_withoutAConfiguredKeyOnlyProgramsOnThisMachineAreAdmitted() throws Exception {
        try (ApiServer keyless = ApiServer.startKeyless(redis.url())) {
            assertThat(new ApiClient(keyless.url()).get("/api/v1/rooms").status())
                    .isEqualTo(200);
            for (Map.Entry<String, String> header : Map.of(
                            "X-Forwarded-For", "127.0.0.1",
                            "Forwarded", "for=127.0.0.1",
                            "Origin", "http://evil.example",
                            "Sec-Fetch-Site", "cross-site")
                    .entrySet()) {
                Answer answer = new ApiClient(keyless.url(), header.getKey(), header.getValue()).get("/api/v1/rooms");
                assertThat(answer.status()).as(header.getKey()).isEqualTo(403);
                assertThat(answer.code()).isEqualTo("forbidden");
            }
            try (RawConnection rebound = new RawConnection(keyless.port())) {
                assertThat(rebound.send("GET /api/v1/rooms HTTP/1.1\r\nHost: evil.example\r\n\r\n")
                                .response()
                                .status())
                        .isEqualTo(403);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/docs/../openapi.json",
                "/docs/..%2fopenapi.json",
                "/docs/%2e%2e/openapi.json",
                "/docs/%2e%2e%2fopenapi.json",
                "/docs/..%5copenapi.json",
                "/docs/..%252fopenapi.json",
                "/docs/%c0%ae%c0%ae/openapi.json",
                "/docs//docs.css",
                "/docs/./docs.css",
                "/docs/docs.css/",
                "/docs/docs.css%00.html",
                "/docs/index.html",
                "/docs/META-INF/MANIFEST.MF",
                "/docs/../../../../etc/passwd",
                "/META-INF/MANIFEST.MF",
                "/web/docs/index.html",
                "/redis/join.lua",
                "/docs%2Fdocs.js",
                "/openapi.json/..",
                "/openapi%2ejson%2f"
            })
    void a41_pathsToOtherFilesFindNothing(String path) throws Exception {
        try (RawConnection client = connect()) {
            assertThat(client.get(path).response().status()).isEqualTo(404);
        }
    }

    @Test
    void theDocsLoadNothingFromOtherServers() throws Exception {
        try (RawConnection client = connect()) {
            for (String path : List.of("/docs", "/docs/", "/docs/docs.js", "/docs/docs.css")) {
                Response response = client.get(path).response();
                assertThat(response.status()).as(path).isEqualTo(200);
                assertThat(response.header("Content-Security-Policy"))
                        .startsWith("default-src 'self'")
                        .doesNotContain("unsafe", "http");
                assertThat(response.header("X-Content-Type-Options")).isEqualTo("nosniff");
            }
            assertThat(client.get("/docs").response().body()).doesNotContain("http:", "https:", "<script>", " on");
        }
    }

    @Test
    void a16_malformedHttpIsRefused() throws Exception {
        for (String request : List.of(
                "GET /api/v1/rooms/" + "x".repeat(9_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /api/v1/rooms HTTP/1.1\r\nHost: x\r\nX-API-Key: " + "x".repeat(17_000) + "\r\n\r\n",
                "POST " + STATUS + " HTTP/1.1\r\nHost: x\r\n" + AUTHORIZED + "\r\n" + JSON
                        + "\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET /api/v1/rooms HTTP/1.1\r\nHost: x\r\nX-API-Key: a\u0000b\r\n\r\n",
                "GET /api/v1/rooms/%zz HTTP/1.1\r\nHost: x\r\n" + AUTHORIZED + "\r\n\r\n",
                "GET /api/v1/rooms?limit=%zz HTTP/1.1\r\nHost: x\r\n" + AUTHORIZED + "\r\n\r\n")) {
            try (RawConnection client = connect().send(request)) {
                assertThat(client.response().status()).isIn(400, 414, 431);
                assertThat(client.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void a43_requestsAreNeitherLoggedNorEchoed() throws Exception {
        try (RawConnection client = connect()) {
            String body = client.get("/api/v1/rooms/%3Cscript%3E%0Aevil", AUTHORIZED)
                    .response()
                    .body();
            assertThat(body).doesNotContain("script", "evil");
        }
    }
}
