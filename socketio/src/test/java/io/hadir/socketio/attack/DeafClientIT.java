package io.hadir.socketio.attack;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Clients that make the server send and never read. */
class DeafClientIT {
    @Test
    void f03_aWebSocketThatPingsButNeverReadsIsClosed() throws Exception {
        try (TestServer server = new TestServer.Setup().sendBuffer(10_000).start();
                RawWebSocket deaf = RawWebSocket.open(
                        new RawConnection(server.port(), 4_096), TestServer.PATH + "?EIO=4&transport=websocket")) {
            byte[] ping = RawWebSocket.masked(RawWebSocket.FIN | RawWebSocket.PING, new byte[120]);
            ByteArrayOutputStream pings = new ByteArrayOutputStream();
            for (int i = 0; i < 100; i++) {
                pings.write(ping);
            }
            sendUntilClosed(deaf.connection(), pings.toByteArray());
            await().until(() -> server.engine().floods() == 1 && server.engine().sessions() == 0);
        }
    }

    @Test
    void f03_aClientThatKeepsSendingRequestsWithoutReadingIsClosed() throws Exception {
        try (TestServer server = new TestServer.Setup().sendBuffer(100_000).start();
                RawConnection deaf = new RawConnection(server.port(), 4_096)) {
            String many = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100);
            sendUntilClosed(deaf, many.getBytes(StandardCharsets.US_ASCII));
            await().until(() -> server.connections().taken() == 0);
        }
    }

    private static void sendUntilClosed(RawConnection deaf, byte[] bytes) {
        assertThatThrownBy(() -> {
                    for (int sent = 0; sent < 100_000_000; sent += bytes.length) {
                        deaf.send(bytes);
                    }
                })
                .isInstanceOf(IOException.class);
    }
}
