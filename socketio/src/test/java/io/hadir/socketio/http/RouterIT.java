package io.hadir.socketio.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.RawConnection;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouterIT {
    private static final HttpHandler SHORT = mounted();
    private static final HttpHandler LONG = mounted();

    private static HttpHandler mounted() {
        return new HttpHandler() {
            @Override
            public int maxBodyBytes() {
                return 10;
            }

            @Override
            public void handle(Exchange exchange) {
                exchange.respond(HttpResponseStatus.OK, "text/plain", exchange.path());
            }
        };
    }

    private static HttpHandler handlerOf(Router router, String path) {
        return router.handlerOf(
                HttpMethod.GET,
                path,
                new DefaultHttpHeaders(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
    }

    @Test
    void theLongestPrefixWinsInAnyOrderOfMounts() {
        Router router = new Router().mount("/a/", SHORT).mount("/a/b/", LONG);
        assertThat(handlerOf(router, "/a/b/c")).isSameAs(LONG);
        assertThat(handlerOf(router, "/a/x")).isSameAs(SHORT);
        Router other = new Router().mount("/a/b/", LONG).mount("/a/", SHORT);
        assertThat(handlerOf(other, "/a/b/c")).isSameAs(LONG);
    }

    @Test
    void anExactRouteWinsOverAPrefix() {
        Router router = new Router().mount("/a/", SHORT).route(HttpMethod.GET, "/a/b", exchange -> {});
        assertThat(handlerOf(router, "/a/b")).isNotSameAs(SHORT);
        assertThat(handlerOf(router, "/a/b/")).isSameAs(SHORT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/a", "/A/", "a/", "//a/", "/b/../a/", "*"})
    void unknownPathsAreNotFound(String path) {
        Router router = new Router().mount("/a/", SHORT);
        assertThat(handlerOf(router, path)).isNotSameAs(SHORT);
        assertThat(handlerOf(router, path).maxBodyBytes()).isZero();
    }

    @Test
    void aKnownPathListsItsMethods() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .routes(router -> router.route(
                                        HttpMethod.GET,
                                        "/page",
                                        exchange -> exchange.respond(HttpResponseStatus.OK, "text/plain", "hello"))
                                .route(
                                        HttpMethod.DELETE,
                                        "/page",
                                        exchange -> exchange.respond(HttpResponseStatus.OK, "text/plain", "gone")))
                        .start();
                RawConnection client = server.connect()) {
            assertThat(client.get("/page").response().body()).isEqualTo("hello");

            RawConnection.Response head =
                    client.send("HEAD /page HTTP/1.1\r\nHost: test\r\n\r\n").head();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Length")).isEqualTo("5");

            RawConnection.Response put =
                    client.send("PUT /page HTTP/1.1\r\nHost: test\r\n\r\n").response();
            assertThat(put.status()).isEqualTo(405);
            assertThat(put.header("Allow")).isEqualTo("DELETE, GET, HEAD");
            assertThat(client.get("/nothing").response().status()).isEqualTo(404);
        }
    }

    @Test
    void aSegmentInBracesMatchesOneSegmentThatIsDecodedOnce() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .routes(router -> router.route(HttpMethod.GET, "/r/{one}/u/{two}", RouterIT::both)
                                .route(HttpMethod.PUT, "/r/fixed/u/there", exchange -> {})
                                .route(HttpMethod.GET, "/r/fixed/u/here", exchange -> {
                                    exchange.respond(HttpResponseStatus.OK, "text/plain", "exact");
                                }))
                        .start();
                RawConnection client = server.connect()) {
            assertThat(client.get("/r/a/u/b").response().body()).isEqualTo("a b");
            assertThat(client.get("/r/fixed/u/here").response().body()).isEqualTo("exact");
            assertThat(client.get("/r/%7Bone%7D/u/%7Btwo%7D").response().body()).isEqualTo("{one} {two}");
            assertThat(client.get("/r/fixed/u/there").response().body()).isEqualTo("fixed there");
            assertThat(client.get("/r/a+b/u/%2B%20").response().body()).isEqualTo("a+b + ");
            assertThat(client.get("/r/%2561/u/%252F").response().body()).isEqualTo("%61 %2F");
            assertThat(client.get("/r/a%2Fu%2Fb/u/%7Btwo%7D").response().body()).isEqualTo("a/u/b {two}");
            assertThat(client.get("/%72/a/u/b").response().body()).isEqualTo("a b");
            for (String other : new String[] {"/r/a/u", "/r/a/u/b/", "/r/a/u/b/c", "/r%2Fa/u/b", "/R/a/u/b"}) {
                assertThat(client.get(other).response().status()).as(other).isEqualTo(404);
            }
            assertThat(client.get("/r//u/").response().body()).isEqualTo(" ");
            RawConnection.Response put = client.request("PUT", "/r/a/u/b").response();
            assertThat(put.status()).isEqualTo(405);
            assertThat(put.header("Allow")).isEqualTo("GET, HEAD");
        }
    }

    private static void both(Exchange exchange) {
        exchange.respond(
                HttpResponseStatus.OK, "text/plain", exchange.parameter("one") + " " + exchange.parameter("two"));
    }

    @Test
    void aGuardComesFirstHoweverThePathIsEncoded() throws Exception {
        Refusal no = new Refusal(HttpResponseStatus.UNAUTHORIZED, "unauthenticated", "No.").with("X-Why", "test");
        try (TestServer server = new TestServer.Setup()
                .routes(router -> router.guard("api", (headers, peer) -> headers.contains("X-Key") ? null : no)
                        .route(HttpMethod.POST, "/api/v1", 10, exchange -> {
                            exchange.respond(HttpResponseStatus.OK, "text/plain", "in");
                        }))
                .start()) {
            for (String path : new String[] {"/api/v1", "/api", "/api/", "/%61pi/v1", "/api//v1", "/api/%2e%2e/x"}) {
                try (RawConnection client = server.connect()) {
                    RawConnection.Response response = client.get(path).response();
                    assertThat(response.status()).as(path).isEqualTo(401);
                    assertThat(response.header("X-Why")).isEqualTo("test");
                    assertThat(client.post(path, "x".repeat(11)).response().status())
                            .as(path)
                            .isEqualTo(401);
                    assertThat(client.isClosedByServer()).isTrue();
                }
            }
            try (RawConnection client = server.connect()) {
                assertThat(client.post("/api/v1", "x", "X-Key: k").response().body())
                        .isEqualTo("in");
                assertThat(client.get("/api/v1", "X-Key: k").response().status())
                        .isEqualTo(405);
                assertThat(client.get("/api%2Fv1").response().status()).isEqualTo(404);
                assertThat(client.post("/api/v1", "x".repeat(11), "X-Key: k")
                                .response()
                                .status())
                        .isEqualTo(413);
            }
        }
    }
}
