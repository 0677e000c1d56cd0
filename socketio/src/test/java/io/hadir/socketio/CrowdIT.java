package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Many sockets that end in many ways. The test server checks the listener's contract when it closes. */
class CrowdIT {
    @Test
    void aShutdownEndsEverySocketOfBothTransports() throws Exception {
        List<AutoCloseable> clients = new ArrayList<>();
        try (TestServer server = TestServer.start()) {
            for (int i = 0; i < 300; i++) {
                if (i % 3 == 0) {
                    PollingClient client = server.connectedPolling();
                    if (i % 2 == 0) {
                        client.poll();
                    }
                    clients.add(client);
                } else {
                    clients.add(server.connectedWebSocket());
                }
            }
            server.shutDown();
            assertThat(server.heard().connected()).isEqualTo(300);
            assertThat(server.heard().disconnected()).isEqualTo(300);
            assertThat(server.heard().lives())
                    .allSatisfy(life -> assertThat(life.end()).isEqualTo(DisconnectReason.SHUTTING_DOWN));
        } finally {
            for (AutoCloseable client : clients) {
                client.close();
            }
        }
    }

    /** An event loop that is busy when it ends leaves connections open, so the test does not wait for them to close. */
    @Test
    void aShutdownWhileClientsKeepConnectingLosesNoDisconnect() throws Exception {
        Queue<AutoCloseable> clients = new ConcurrentLinkedQueue<>();
        for (int round = 0; round < 10; round++) {
            try (TestServer server = TestServer.start()) {
                for (int i = 0; i < 4; i++) {
                    boolean polling = i % 2 == 0;
                    Thread comer = new Thread(() -> keepComing(server, polling, clients));
                    comer.setDaemon(true);
                    comer.start();
                }
                await().until(() -> server.heard().connected() > 40);
            }
        }
        for (AutoCloseable client : clients) {
            client.close();
        }
    }

    private static void keepComing(TestServer server, boolean polling, Queue<AutoCloseable> clients) {
        try {
            while (true) {
                if (polling) {
                    PollingClient client = server.polling();
                    clients.add(client);
                    client.send("40");
                    client.poll();
                } else {
                    clients.add(server.webSocket().send("40"));
                }
            }
        } catch (IOException | RuntimeException shutDown) {
            // Expected.
        }
    }

    /** How a client ends its connection. */
    private interface End {
        void of(RawWebSocket socket) throws IOException;
    }

    private static final List<End> ENDS = List.of(
            socket -> socket.close(),
            socket -> socket.reset(),
            socket -> socket.send("41"),
            socket -> socket.send("1"),
            socket -> socket.send("41", "1", "41"),
            socket -> socket.send("42[\"kick\"]", "42[\"message\"]"),
            socket -> socket.send("42[\"drop\"]", "42[\"kick\"]"),
            socket -> socket.send("42[\"fail\"]", "42[\"fail\"]"),
            socket -> socket.send("garbage"),
            socket -> socket.frame(0xFF, "reserved"),
            socket -> socket.frame(RawWebSocket.FIN | RawWebSocket.CLOSE, new byte[0]),
            socket -> socket.connection().finish(),
            socket -> socket.send("42[\"kick\"]").reset(),
            socket -> {});

    private static void end(RawWebSocket socket, Random random) {
        try {
            ENDS.get(random.nextInt(ENDS.size())).of(socket);
        } catch (IOException closedAlready) {
            // The server closed the connection before the client had sent everything.
        }
    }

    private static RawWebSocket join(TestServer server, Random random) throws IOException {
        if (random.nextInt(3) > 0) {
            return server.connectedWebSocket();
        }
        PollingClient client = server.connectedPolling();
        switch (random.nextInt(4)) {
            case 0 -> client.offer().reset();
            case 1 -> client.offer().send("2probe").reset();
            case 2 -> client.send("42[\"drop\"]");
            default -> {
                return client.upgrade();
            }
        }
        RawConnection poll = client.poll();
        if (random.nextBoolean()) {
            poll.reset();
        }
        return server.connectedWebSocket();
    }

    @Test
    void fiveHundredSocketsEndInEveryWayAndDisconnectOnce() throws Exception {
        long seed = 42;
        Random random = new Random(seed);
        try (TestServer server = new TestServer.Setup()
                .pings(Duration.ofSeconds(1), Duration.ofSeconds(1))
                .connectTimeout(Duration.ofSeconds(2))
                .expectTroubles()
                .start()) {
            List<RawWebSocket> sockets = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                RawWebSocket socket = join(server, random);
                sockets.add(socket);
                socket.send("42[\"enter\",\"watch\"]");
                if (random.nextInt(3) == 0) {
                    RawWebSocket one = sockets.remove(random.nextInt(sockets.size()));
                    end(one, random);
                }
            }
            for (RawWebSocket one : sockets) {
                end(one, random);
            }
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                assertThat(server.heard().connected()).isGreaterThanOrEqualTo(500);
                assertThat(server.heard().disconnected())
                        .isEqualTo(server.heard().connected());
            });
            await().atMost(Duration.ofSeconds(20)).until(() -> server.engine().sessions() == 0);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> server.namespace().size() == 0);
            for (RawWebSocket one : sockets) {
                one.close();
            }
        }
    }

    @Test
    void whenHalfOfACrowdDisconnectsTheOthersHearOfEach() throws Exception {
        int all = 120;
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
            for (RawWebSocket socket : sockets.subList(all / 2, all)) {
                List<String> heard = new ArrayList<>();
                for (int i = 0; i < all / 2; i++) {
                    heard.add(socket.text());
                }
                assertThat(heard).doesNotHaveDuplicates().allMatch(text -> text.startsWith("42[\"gone\","));
                socket.close();
            }
        }
    }
}
