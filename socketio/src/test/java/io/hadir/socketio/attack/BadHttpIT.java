package io.hadir.socketio.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawConnection.Response;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class BadHttpIT {
    private static final String OPEN = "/socket.io/?EIO=4&transport=polling";

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer.Setup().maxPayload(1_000).start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Returns the status of the answer and expects the connection to be closed after it. */
    private static int refusal(String request) throws Exception {
        try (RawConnection client = server.connect().send(request)) {
            int status = client.response().status();
            assertThat(client.isClosedByServer()).isTrue();
            return status;
        }
    }

    @Test
    void a16_aGiantUriIs414() throws Exception {
        assertThat(refusal("GET /" + "x".repeat(9_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
                .isEqualTo(414);
        assertThat(refusal("GET /?" + "a=b&".repeat(2_500) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
                .isEqualTo(414);
    }

    @Test
    void a16_theErrorSaysWhatIsTooLong() throws Exception {
        try (RawConnection client =
                server.connect().send("GET /" + "x".repeat(9_000) + " HTTP/1.1\r\nHost: x\r\n\r\n")) {
            assertThat(client.response().body()).contains("The address is too long.");
        }
        try (RawConnection client = server.connect().send("GET / HTTP/1.1\r\nX: " + "x".repeat(17_000) + "\r\n\r\n")) {
            assertThat(client.response().body()).contains("The headers are too long.");
        }
    }

    @Test
    void a16_giantHeadersAre431() throws Exception {
        assertThat(refusal("GET / HTTP/1.1\r\nHost: x\r\nX: " + "x".repeat(17_000) + "\r\n\r\n"))
                .isEqualTo(431);
        assertThat(refusal("GET / HTTP/1.1\r\n" + "X: y\r\n".repeat(5_000) + "\r\n"))
                .isEqualTo(431);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 5",
                "Content-Length: 5\r\nContent-Length: 6",
                "Content-Length: 5, 6",
                "Content-Length: -1",
                "Content-Length: +5",
                "Content-Length: 5x",
                "Content-Length: 0x5",
                "Content-Length: 99999999999999999999",
                "Content-Length: ",
                "Transfer-Encoding: gzip, chunked, gzip",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: chunked, identity"
            })
    void a16_anAmbiguousLengthIsRefused(String headers) throws Exception {
        try (RawConnection client = server.connect()
                .send("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n\r\n0\r\n\r\n"
                        + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")) {
            Response response = client.response();
            assertThat(response.status()).as(response.body()).isIn(400, 413, 501);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: x\r\nX\u0001: y\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nX y: z\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nX : y\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
                "GET\u0000 / HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET / HTTP/1.1 x\r\nHost: x\r\n\r\n",
                "GET / HTTX/1.1\r\nHost: x\r\n\r\n",
                "GET / FTP/1.1\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n",
                "\u0000\u0001\u0002\r\n\r\n",
                "GET /\r\n\r\n",
                "hello\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
                "GET / HTTP/1.1\rHost: x\r\r\n\r\n"
            })
    void a16_anythingButHttpIsRefusedAndClosed(String request) throws Exception {
        assertThat(refusal(request)).isIn(400, 404, 505);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Host: x\r\nHost: x\r\n", "Host: x\r\nHost: y\r\n", "host: x\r\nX: y\r\nHOST: x\r\n"})
    void a16_aRequestWithNoHostOrTwoHostsIsRefused(String hosts) throws Exception {
        assertThat(refusal("GET " + OPEN + " HTTP/1.1\r\n" + hosts + "\r\n")).isEqualTo(400);
        assertThat(refusal("GET /nothing HTTP/1.1\r\n" + hosts + "\r\n")).isEqualTo(400);
    }

    @Test
    void a16_http10WithTwoHostsIsRefused() throws Exception {
        assertThat(refusal("GET /nothing HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n"))
                .isEqualTo(400);
    }

    @Test
    void a16_aFoldedHeaderCannotHideAnother() throws Exception {
        try (RawConnection client =
                server.connect().send("GET /nothing HTTP/1.1\r\nHost: x\r\nX: a\r\n Content-Length: 5\r\n\r\n")) {
            assertThat(client.response().status()).isIn(400, 404);
        }
    }

    @Test
    void a16_aUriWithControlBytesFindsNothing() throws Exception {
        for (String address :
                new String[] {"/\u0001", "/\u007f", "/socket.io/\u0000", "/\u0080\u00ff", "/%00", "/%0d%0aX:y"}) {
            try (RawConnection client = server.connect().get(address)) {
                assertThat(client.response().status()).as(address).isIn(400, 404);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/../etc/passwd",
                "/..%2f..%2fetc%2fpasswd",
                "/web/../../x",
                "/./",
                "//",
                "/%2e%2e/%2e%2e/",
                "/\\..\\x",
                "/welcome.html/../../io/hadir/Main.class",
                "/%c0%ae%c0%ae/",
                "/socket.io",
                "/socket.io%2f",
                "/SOCKET.IO/",
                "*",
                "http://test/socket.io/?EIO=4&transport=polling",
                "http://evil.example/",
                "?EIO=4"
            })
    void a41_pathsThatLeadElsewhereFindNothing(String path) throws Exception {
        try (RawConnection client = server.connect().get(path)) {
            assertThat(client.response().status()).isIn(400, 404);
        }
    }

    @Test
    void a11_aBodyBeyondTheLimitIs413BeforeItIsSent() throws Exception {
        assertThat(refusal("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n"))
                .isEqualTo(413);
        assertThat(refusal("POST " + OPEN
                        + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n"))
                .isEqualTo(413);
        assertThat(refusal("GET /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n"))
                .isEqualTo(404);
    }

    @Test
    void a11_endlessChunksAreRefusedAtTheLimit() throws Exception {
        try (RawConnection client =
                server.connect().send("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")) {
            client.send("64\r\n" + "x".repeat(100) + "\r\n");
            client.send(("64\r\n" + "x".repeat(100) + "\r\n").repeat(9));
            client.send("1\r\nx\r\n");
            assertThat(client.response().status()).isEqualTo(413);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\n", "-1\r\n", "ffffffffffffffff\r\n", "7fffffff\r\n", "5", "\r\n", " 5\r\nx"})
    void a11_aBadChunkSizeIsRefused(String chunk) throws Exception {
        try (RawConnection client = server.connect()
                .send("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk
                        + "x".repeat(9_000))) {
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a11_aTruncatedBodyIsNotAnswered() throws Exception {
        int sessions = server.engine().sessions();
        try (RawConnection client =
                server.connect().send("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")) {
            client.finish();
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(server.engine().sessions()).isEqualTo(sessions);
    }

    @Test
    void a11_chunkExtensionsAndTrailersAreIgnored() throws Exception {
        try (RawConnection client = server.connect()
                .send("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "3;name=\"value\"\r\nabc\r\n0\r\nX-Trailer: y\r\n\r\n")) {
            assertThat(client.response().body()).startsWith("{\"code\":2,");
            assertThat(client.get("/nothing").response().status()).isEqualTo(404);
        }
    }

    @Test
    void a11_anExpectedContinueIsSent() throws Exception {
        try (RawConnection client = server.connect()
                .send("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")) {
            assertThat(client.head().status()).isEqualTo(100);
            client.send("abc");
            assertThat(client.response().body()).startsWith("{\"code\":2,");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "GZIP", "identity", "gzip, gzip"})
    void a18_aCompressedBodyIs415(String encoding) throws Exception {
        assertThat(refusal("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nContent-Encoding: " + encoding
                        + "\r\nContent-Length: 3\r\n\r\nabc"))
                .isEqualTo(415);
    }

    @Test
    void a11_endlessTrailersAreRefused() throws Exception {
        try (RawConnection client = server.connect()
                .send("POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
                        + "X: y\r\n".repeat(5_000))) {
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a16_echoedHeaderValuesCannotInjectHeaders() throws Exception {
        for (String value : new String[] {"x\u0080\u00ff", "x\ty", "x\u007fy", "", "\"<script>"}) {
            try (RawConnection client = server.connect()) {
                client.request("OPTIONS", OPEN, "Origin: " + value, "Access-Control-Request-Headers: " + value);
                assertThat(client.head().status()).isIn(204, 400);
            }
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        try (RawConnection client = server.connect()) {
            client.send("GET /one HTTP/1.1\r\nHost: x\r\n\r\nHEAD /two HTTP/1.1\r\nHost: x\r\n\r\n"
                    + "POST " + OPEN + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"
                    + "GET " + OPEN + " HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(404);
            assertThat(client.head().status()).isEqualTo(404);
            assertThat(client.response().body()).startsWith("{\"code\":2,");
            assertThat(client.response().body()).startsWith("0{");
        }
    }

    @Test
    void http10IsAnsweredAndClosed() throws Exception {
        try (RawConnection client = server.connect().send("GET /nothing HTTP/1.0\r\n\r\n")) {
            assertThat(client.response().status()).isEqualTo(404);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aClientThatHasClosedItsSendingSideIsStillAnswered() throws Exception {
        try (RawConnection client = server.connect().get("/nothing")) {
            client.finish();
            assertThat(client.response().status()).isEqualTo(404);
        }
    }

    @Test
    void a43_nothingThatAClientSendsIsLogged() throws Exception {
        for (String request : new String[] {
            "GET /\u001b[31mevil HTTP/1.1\r\nHost: evil\r\n\r\n",
            "evil\r\n\r\n",
            "GET / HTTP/1.1\r\nevil\u0000: x\r\n\r\n",
            "POST " + OPEN + " HTTP/1.1\r\nHost: evil\r\nOrigin: evil\r\nContent-Length: 4\r\n\r\nevil"
        }) {
            try (RawConnection client = server.connect().send(request)) {
                client.response();
            }
        }
        assertThat(server.logs().all()).isEmpty();
    }
}
