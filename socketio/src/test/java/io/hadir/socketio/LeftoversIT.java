package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that disconnect leave no session, no socket and no memory behind. */
class LeftoversIT {
    private static final int PER_CONNECTION = 50;
    private static final int SPARE_BYTES = 4 << 20;

    @SuppressWarnings("SystemRunFinalization")
    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void awaitUsedAtMost(long bytes) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> assertThat(usedBytes()).isLessThan(bytes));
    }

    @Test
    void tenThousandUnusedPollingSessionsLeaveNothingBehind() throws Exception {
        try (TestServer server = new TestServer.Setup()
                .connectTimeout(Duration.ofSeconds(2))
                .maxSessions(20_000)
                .start()) {
            handshakes(server, 200);
            long before = usedBytes();

            handshakes(server, 10_000);
            await().atMost(Duration.ofSeconds(30)).until(() -> server.engine().sessions() == 0);
            awaitUsedAtMost(before + SPARE_BYTES);
        }
    }

    /** Uses many connections, because each may open only a few sessions. */
    private static void handshakes(TestServer server, int count) throws Exception {
        for (int done = 0; done < count; done += PER_CONNECTION) {
            try (RawConnection connection = server.connect()) {
                for (int i = 0; i < PER_CONNECTION; i++) {
                    assertThat(connection
                                    .get(TestServer.PATH + "?EIO=4&transport=polling")
                                    .response()
                                    .status())
                            .isEqualTo(200);
                }
            }
        }
    }

    @Test
    void threeThousandDisconnectedWebSocketsLeaveNothingBehind() throws Exception {
        try (TestServer server = TestServer.start()) {
            kicks(server, 200);
            long before = usedBytes();
            int lives = server.heard().lives().size();

            for (int i = 0; i < 10; i++) {
                kicks(server, 300);
            }
            assertThat(server.heard().lives()).hasSize(lives + 3_000);
            assertThat(server.engine().sessions()).isZero();
            assertThat(server.namespace().size()).isZero();
            await().until(() -> server.connections().taken() == 0);
            // The recorder keeps something about each socket.
            awaitUsedAtMost(before + SPARE_BYTES + 3_000 * 2_000);
        }
    }

    private static void kicks(TestServer server, int count) throws Exception {
        List<RawWebSocket> sockets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sockets.add(server.connectedWebSocket().send("420[\"enter\",\"room\"]"));
        }
        for (RawWebSocket socket : sockets) {
            socket.send("42[\"kick\"]");
        }
        for (RawWebSocket socket : sockets) {
            assertThat(socket.text()).isEqualTo("430[]");
            assertThat(socket.text()).isEqualTo("41");
            assertThat(socket.closeCode()).isEqualTo(1000);
            socket.close();
        }
        await().until(() -> server.engine().sessions() == 0);
    }

    @Test
    void whenThreeHundredOfSixHundredSocketsDisconnectTheOthersHearOfEach() throws Exception {
        int all = 600;
        try (TestServer server = TestServer.start()) {
            List<RawWebSocket> sockets = new ArrayList<>();
            for (int i = 0; i < all; i++) {
                sockets.add(server.connectedWebSocket().send("420[\"enter\",\"watch\"]"));
            }
            for (RawWebSocket socket : sockets) {
                assertThat(socket.text()).isEqualTo("430[]");
            }
            for (RawWebSocket leaver : sockets.subList(0, all / 2)) {
                leaver.reset();
            }
            int heard = 0;
            for (RawWebSocket socket : sockets.subList(all / 2, all)) {
                for (int i = 0; i < all / 2; i++) {
                    assertThat(socket.text()).startsWith("42[\"gone\",");
                    heard++;
                }
                socket.close();
            }
            assertThat(heard).isEqualTo(90_000);
        }
    }
}
