package io.hadir.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.support.RawConnection;
import io.hadir.support.TestServer;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
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

    @Test
    void theLongestPrefixWinsWhateverTheOrder() {
        Router router = new Router().mount("/a/", SHORT).mount("/a/b/", LONG);
        assertThat(router.handlerOf("/a/b/c")).isSameAs(LONG);
        assertThat(router.handlerOf("/a/x")).isSameAs(SHORT);
        Router other = new Router().mount("/a/b/", LONG).mount("/a/", SHORT);
        assertThat(other.handlerOf("/a/b/c")).isSameAs(LONG);
    }

    @Test
    void anExactRouteWinsOverAPrefix() {
        Router router = new Router().mount("/a/", SHORT).route(HttpMethod.GET, "/a/b", exchange -> {});
        assertThat(router.handlerOf("/a/b")).isNotSameAs(SHORT);
        assertThat(router.handlerOf("/a/b/")).isSameAs(SHORT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/a", "/A/", "a/", "//a/", "/b/../a/", "*"})
    void whatIsNotThereIsNotFound(String path) {
        Router router = new Router().mount("/a/", SHORT);
        assertThat(router.handlerOf(path)).isNotSameAs(SHORT);
        assertThat(router.handlerOf(path).maxBodyBytes()).isZero();
    }

    @Test
    void aKnownPathSaysWhichMethodsItKnows() throws Exception {
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
            assertThat(put.header("Allow")).isEqualTo("DELETE, GET");
            assertThat(client.get("/nothing").response().status()).isEqualTo(404);
        }
    }
}
