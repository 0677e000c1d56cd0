package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.RawWebSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class WebSocketIT {
    private static final class Messages implements WebSocket.Listener {
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final StringBuilder partial = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            partial.append(data);
            if (last) {
                received.add(partial.toString());
                partial.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            received.add("closed " + code);
            return null;
        }

        String next() throws InterruptedException {
            String message = received.poll(10, TimeUnit.SECONDS);
            return message == null ? "nothing" : message;
        }
    }

    @Test
    void theJdkWebSocketClientWorks() throws Exception {
        try (TestServer server = TestServer.start()) {
            Messages messages = new Messages();
            WebSocket socket = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(
                            URI.create("ws://127.0.0.1:" + server.port() + "/socket.io/?EIO=4&transport=websocket"),
                            messages)
                    .get(10, TimeUnit.SECONDS);
            assertThat(messages.next()).startsWith("0{");
            socket.sendText("40", true).get(10, TimeUnit.SECONDS);
            assertThat(messages.next()).startsWith("40{");
            String large = "x".repeat(90_000);
            socket.sendText("42[\"message\",\"" + large.substring(0, 40_000), false)
                    .get(10, TimeUnit.SECONDS);
            socket.sendText(large.substring(40_000) + "\"]", true).get(10, TimeUnit.SECONDS);
            assertThat(messages.next()).isEqualTo("42[\"message-back\",\"" + large + "\"]");
            socket.sendClose(1000, "bye").get(10, TimeUnit.SECONDS);
            assertThat(messages.next()).isEqualTo("closed 1000");
            await().untilAsserted(
                            () -> assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.TRANSPORT_CLOSE));
        }
    }

    @Test
    void aMessageMayComeInFragmentsWithPingsBetweenThem() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            byte[] text = "42[\"message\",\"€€\"]".getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < text.length; i++) {
                int opcode = i == 0 ? RawWebSocket.TEXT : RawWebSocket.CONTINUATION;
                int fin = i == text.length - 1 ? RawWebSocket.FIN : 0;
                socket.frame(fin | opcode, new byte[] {text[i]});
                if (i == 5) {
                    socket.frame(RawWebSocket.FIN | RawWebSocket.PING, "are you there");
                    assertThat(socket.next()).satisfies(pong -> {
                        assertThat(pong.opcode()).isEqualTo(RawWebSocket.PONG);
                        assertThat(pong.text()).isEqualTo("are you there");
                    });
                }
            }
            assertThat(socket.text()).isEqualTo("42[\"message-back\",\"€€\"]");
        }
    }

    @Test
    void bytesTravelAsBytes() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("451-[\"message\",{\"_placeholder\":true,\"num\":0}]");
            socket.frame(RawWebSocket.BINARY, new byte[] {1, 2});
            socket.frame(RawWebSocket.CONTINUATION | RawWebSocket.FIN, new byte[] {3});
            assertThat(socket.text()).startsWith("451-");
            assertThat(socket.next()).satisfies(frame -> {
                assertThat(frame.opcode()).isEqualTo(RawWebSocket.BINARY);
                assertThat(frame.payload()).containsExactly(1, 2, 3);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "", "0", "2", "2probe", "5", "7"})
    void aPacketThatNoClientMaySendEndsTheSession(String packet) throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send(packet);
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().untilAsserted(
                            () -> assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.PARSE_ERROR));
        }
    }

    @Test
    void aClientMayCloseItsSession() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("1");
            assertThat(socket.closeCode()).isEqualTo(1000);
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().untilAsserted(
                            () -> assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.TRANSPORT_CLOSE));
        }
    }

    @Test
    void aShutdownClosesWebSocketsWith1001() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            server.shutDown();
            assertThat(socket.closeCode()).isEqualTo(1001);
            assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.SHUTTING_DOWN);
        }
    }

    @Test
    void answeringPingsKeepsTheSessionOpen() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .pings(Duration.ofMillis(100), Duration.ofMillis(500))
                        .start();
                RawWebSocket socket = server.connectedWebSocket()) {
            for (int i = 0; i < 3; i++) {
                assertThat(socket.next().text()).isEqualTo("2");
                socket.send("3");
            }
            assertThat(server.heard().disconnected()).isZero();
        }
    }

    @Test
    void silenceEndsTheSession() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .pings(Duration.ofMillis(200), Duration.ofMillis(200))
                        .start();
                RawWebSocket socket = server.connectedWebSocket()) {
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().untilAsserted(
                            () -> assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.PING_TIMEOUT));
            assertThat(server.engine().closings(CloseReason.PING_TIMEOUT)).isEqualTo(1);
            assertThat(server.engine().sessions()).isZero();
        }
    }
}
