package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hadir.socketio.http.HttpServer;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Router;
import io.hadir.socketio.limit.Slots;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawConnection.Response;
import java.io.IOException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Serves the files in {@code src/test/resources/files}; the "compressed" ones there are plain text. */
class StaticFilesIT {
    private static Pages server;

    /** A server with only static files, on a free port. */
    private record Pages(HttpServer http, int port) implements AutoCloseable {
        static Pages serve(Consumer<Router> routes) throws IOException {
            Router router = new Router();
            routes.accept(router);
            Slots places = new Slots(100, 0, 0, Integer.MAX_VALUE);
            HttpServer http = new HttpServer(router, HttpServer.Timeouts.DEFAULT, places, Proxies.NONE, 1 << 20);
            return new Pages(http, http.listen("127.0.0.1", 0).getPort());
        }

        RawConnection connect() throws IOException {
            return new RawConnection(port);
        }

        @Override
        public void close() {
            http.stopListening();
            http.close();
        }
    }

    @BeforeAll
    static void start() throws IOException {
        server = Pages.serve(router -> StaticFiles.addFolder(router, Origins.ANY, "/files/", name -> true));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Response get(String path, String... headers) throws IOException {
        try (RawConnection client = server.connect()) {
            return client.get(path, headers).response();
        }
    }

    @Test
    void pagesHaveNoExtensionAndAreRevalidated() throws IOException {
        Response page = get("/?room=abc");
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.body()).isEqualTo("the page");
        assertThat(page.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(page.header("Cache-Control")).isEqualTo("no-cache");
        assertThat(get("/other").body()).isEqualTo("another page");
        assertThat(get("/other.html").status()).isEqualTo(404);
        assertThat(get("/index.html").status()).isEqualTo(404);
    }

    @Test
    void a38_aPageMayNotLoadFromOtherServersOrRunInlineScripts() throws IOException {
        Response page = get("/");
        assertThat(page.header("Content-Security-Policy"))
                .contains("default-src 'self'", "frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'")
                .doesNotContain("unsafe", "*", "http")
                .doesNotContainPattern("(script|style|default)-src[^;]*data:");
        assertThat(page.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(page.header("Referrer-Policy")).isEqualTo("no-referrer");
    }

    @Test
    void filesWithAHashInTheirNameAreCachedForever() throws IOException {
        Response code = get("/assets/code-1a2b.js");
        assertThat(code.header("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(code.header("Content-Type")).isEqualTo("text/javascript; charset=utf-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "br, GZIP", "gzip, deflate, br, zstd", "deflate, gzip;q=0.5"})
    void clientsThatAcceptGzipGetIt(String accepted) throws IOException {
        Response code = get("/assets/code-1a2b.js", "Accept-Encoding: " + accepted);
        assertThat(code.body()).isEqualTo("compressed code");
        assertThat(code.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(code.header("Vary")).isEqualToIgnoringCase("Accept-Encoding");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip", ";", ",,"})
    void clientsThatDoNotAcceptGzipGetThePlainFile(String accepted) throws IOException {
        Response code = get("/assets/code-1a2b.js", "Accept-Encoding: " + accepted);
        assertThat(code.body()).isEqualTo("code");
        assertThat(code.header("Content-Encoding")).isEmpty();
        assertThat(code.header("Vary")).isEqualToIgnoringCase("Accept-Encoding");
    }

    @Test
    void aClientWithTheSameFileGets304() throws IOException {
        String tag = get("/").header("ETag");
        String compressedTag =
                get("/assets/code-1a2b.js", "Accept-Encoding: gzip").header("ETag");
        assertThat(tag).matches("\"[0-9a-f]{24}\"").isNotEqualTo(compressedTag);

        try (RawConnection client = server.connect()) {
            Response again = client.get("/", "If-None-Match: W/\"x\", " + tag).head();
            assertThat(again.status()).isEqualTo(304);
            assertThat(again.header("ETag")).isEqualTo(tag);
            assertThat(again.header("Content-Length")).isEmpty();
            // The connection stays usable.
            assertThat(client.get("/", "If-None-Match: \"other\"").response().body())
                    .isEqualTo("the page");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/secret.txt",
                "/files.txt",
                "/assets/",
                "/assets",
                "/assets/code-1a2b.js.gz",
                "/assets/../secret.txt",
                "/assets/%2e%2e/secret.txt",
                "/assets%2fcode-1a2b.js/../../secret.txt",
                "/..%2ffiles%2fsecret.txt",
                "/assets/..%5c..%5csecret.txt",
                "/assets//code-1a2b.js",
                "//assets/code-1a2b.js",
                "/./index.html",
                "/logo.svg/",
                "/logo.svg%00.html",
                "/LOGO.SVG"
            })
    void a41_onlyListedFilesAreServed(String path) throws IOException {
        assertThat(get(path).status()).isIn(400, 404);
    }

    @Test
    void aMissingFileFailsTheStart() {
        assertThatThrownBy(() -> StaticFiles.addFolder(new Router(), Origins.ANY, "/nowhere/", name -> true))
                .hasMessageContaining("/nowhere/");
        assertThatThrownBy(() -> new StaticFile("/files/missing.html", false, Origins.ANY))
                .hasMessageContaining("missing.html");
    }

    @Test
    void theServerAlwaysHasAPage() throws Exception {
        try (Pages built = Pages.serve(router -> {
                    StaticFiles.addRoomPage(router, Origins.ANY, new StaticFiles.Site("/socket.io/", true, true));
                    StaticFiles.addDashboard(router, Origins.ANY, new StaticFiles.Site("/socket.io/", true, true));
                });
                RawConnection client = built.connect()) {
            Response page = client.get("/").response();
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.body()).contains("<title>Hadir");
        }
    }

    @Test
    void withoutBuiltPagesAPageSaysHowToBuildThem() throws Exception {
        try (Pages bare = Pages.serve(router -> StaticFiles.addFolder(router, Origins.ANY, "/welcome/", name -> true));
                RawConnection client = bare.connect()) {
            assertThat(client.get("/").response().body()).contains("Node 20.19 or later");
            Response dashboard = client.get("/dashboard").response();
            assertThat(dashboard.body()).contains("Node 20.19 or later");
            assertThat(dashboard.header("Content-Security-Policy")).contains("default-src 'self'");
            assertThat(dashboard.header("Cache-Control")).isEqualTo("no-cache");
            assertThat(client.get("/welcome.css").response().header("Content-Type"))
                    .isEqualTo("text/css; charset=utf-8");
        }
    }
}
