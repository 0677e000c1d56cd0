package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.config.Config;
import io.hadir.server.config.ConfigLoader;
import io.hadir.server.config.Flags;
import io.hadir.server.support.TokenMint;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which web pages may connect to a fully wired server, by polling and by WebSocket. */
class OriginWiringIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @Test
    void a33_inOpenModeOnlyPagesOfThisMachineMayConnect() throws Exception {
        try (Hadir hadir = start()) {
            int port = hadir.address().getPort();
            assertAllowed(port, "127.0.0.1:" + port, "http://127.0.0.1:" + port, "http://localhost:3000");
            assertAllowed(port, "localhost:" + port, "http://localhost:" + port);
            assertRefused(port, "127.0.0.1:" + port, "https://evil.example", "null", "http://localhost.evil.example");
            assertRefused(port, "evil.example:" + port, "http://evil.example:" + port);
        }
    }

    @Test
    void a33_withInsecureAnyHostNameMayConnectToItself() throws Exception {
        try (Hadir hadir = start("--insecure")) {
            int port = hadir.address().getPort();
            assertAllowed(port, "chat.lan:" + port, "http://chat.lan:" + port);
            assertRefused(port, "chat.lan:" + port, "https://evil.example");
        }
    }

    @Test
    void a33_withTokensLoopbackPagesHaveNoPrivilege() throws Exception {
        try (Hadir hadir = start("--jwt-secret=" + TokenMint.SECRET, "--allowed-origins=https://app.example")) {
            int port = hadir.address().getPort();
            assertAllowed(
                    port, "hadir.example", "http://hadir.example", "https://hadir.example", "https://app.example");
            assertRefused(port, "hadir.example", "http://localhost:3000", "http://127.0.0.1", "https://evil.example");
        }
    }

    @Test
    void a33_inOpenModePagesAreServedOnlyUnderTrustedHostNames() throws Exception {
        try (Hadir hadir = start("--allowed-origins=https://presence.example,http://lan.example:8080")) {
            int port = hadir.address().getPort();
            for (String path : List.of("/", "/docs")) {
                for (String host :
                        List.of("127.0.0.1:" + port, "localhost", "[::1]:9", "presence.example", "LAN.example:8080")) {
                    assertThat(page(port, host, path)).as("%s%s", host, path).isEqualTo(200);
                }
                for (String host : List.of(
                        "evil.example",
                        "evil.example:" + port,
                        "lan.example",
                        "localhost.evil.example",
                        "x@localhost")) {
                    assertThat(page(port, host, path)).as("%s%s", host, path).isEqualTo(403);
                }
            }
            assertThat(page(port, "evil.example", "/api/v1/rooms")).isEqualTo(403);
            assertThat(page(port, "evil.example", "/healthz")).isEqualTo(200);
        }
    }

    @Test
    void a33_withTokensOrInsecurePagesAreServedUnderAnyHostName() throws Exception {
        for (String flag : List.of("--insecure", "--jwt-secret=" + TokenMint.SECRET)) {
            try (Hadir hadir = start(flag)) {
                assertThat(page(hadir.address().getPort(), "chat.lan", "/dashboard"))
                        .as(flag)
                        .isEqualTo(200);
            }
        }
    }

    private static int page(int port, String host, String path) throws IOException {
        try (RawConnection client = new RawConnection(port)) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                    .head()
                    .status();
        }
    }

    private static Hadir start(String... flags) throws IOException {
        List<String> all = new ArrayList<>(List.of(flags));
        all.add("--port=0");
        all.add("--redis-url=" + REDIS.url());
        Config config = ConfigLoader.load(Flags.parse(all), Map.of()).config();
        return Hadir.start(config, "test", foreign -> {});
    }

    private static void assertAllowed(int port, String host, String... origins) throws IOException {
        for (String origin : origins) {
            assertThat(polling(port, host, origin)).as("polling, %s", origin).isEqualTo(200);
            assertThat(webSocket(port, host, origin))
                    .as("WebSocket, %s", origin)
                    .isEqualTo(101);
        }
    }

    private static void assertRefused(int port, String host, String... origins) throws IOException {
        for (String origin : origins) {
            assertThat(polling(port, host, origin)).as("polling, %s", origin).isEqualTo(403);
            assertThat(webSocket(port, host, origin))
                    .as("WebSocket, %s", origin)
                    .isEqualTo(403);
        }
    }

    private static int polling(int port, String host, String origin) throws IOException {
        return status(port, "polling", host, origin);
    }

    private static int webSocket(int port, String host, String origin) throws IOException {
        return status(port, "websocket", host, origin, RawWebSocket.handshake());
    }

    private static int status(int port, String transport, String host, String origin, String... headers)
            throws IOException {
        try (RawConnection client = new RawConnection(port)) {
            List<String> lines = new ArrayList<>();
            lines.add("GET /socket.io/?EIO=4&transport=" + transport + " HTTP/1.1");
            lines.add("Host: " + host);
            lines.add("Origin: " + origin);
            lines.addAll(List.of(headers));
            return client.send(String.join("\r\n", lines) + "\r\n\r\n").head().status();
        }
    }
}
