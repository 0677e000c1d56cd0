package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OrderIT {
    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "n[" + i + "]").toList();
    }

    @Test
    void eventsArriveInTheOrderSentByWebSocket() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            for (int i = 0; i < 1_000; i++) {
                socket.send("42[\"n\"," + i + "]");
            }
            await().untilAsserted(
                            () -> assertThat(server.heard().only().events()).isEqualTo(numbered(1_000)));
        }
    }

    @Test
    void eventsArriveInTheOrderSentByPollingThroughAnUpgrade() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            for (int i = 0; i < 100; i += 2) {
                client.send("42[\"n\"," + i + "]", "42[\"n\"," + (i + 1) + "]");
            }
            try (RawWebSocket socket = client.upgrade()) {
                for (int i = 100; i < 300; i++) {
                    socket.send("42[\"n\"," + i + "]");
                }
                await().untilAsserted(
                                () -> assertThat(server.heard().only().events()).isEqualTo(numbered(300)));
            }
        }
    }

    @Test
    void emitsAndBroadcastsOfOneThreadArriveInOrder() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket();
                PollingClient client = server.connectedPolling()) {
            List<Socket> sockets =
                    server.heard().lives().stream().map(life -> life.socket()).toList();
            sockets.forEach(one -> one.join("g"));
            Thread sender = new Thread(() -> {
                for (int i = 0; i < 2_000; i++) {
                    if (i % 3 == 0) {
                        server.namespace().broadcast("g", "n", i);
                    } else {
                        for (Socket one : sockets) {
                            one.emit("n", i);
                        }
                    }
                }
            });
            sender.start();
            for (int i = 0; i < 2_000; i++) {
                assertThat(socket.text()).isEqualTo("42[\"n\"," + i + "]");
                assertThat(client.packet()).isEqualTo("42[\"n\"," + i + "]");
            }
            sender.join(10_000);
        }
    }

    @Test
    void upgradesLoseAndReorderNothing() throws Exception {
        try (TestServer server = TestServer.start()) {
            for (int round = 0; round < 20; round++) {
                upgradeUnderFire(server);
            }
        }
    }

    private static void upgradeUnderFire(TestServer server) throws Exception {
        try (PollingClient client = server.connectedPolling()) {
            Socket socket = server.heard().lives().stream()
                    .map(life -> life.socket())
                    .filter(Socket::isConnected)
                    .findFirst()
                    .orElseThrow();
            AtomicBoolean stop = new AtomicBoolean();
            List<Integer> sent = new ArrayList<>();
            Thread sender = new Thread(() -> {
                for (int i = 0; !stop.get(); i++) {
                    socket.emit("n", i);
                    sent.add(i);
                    Thread.onSpinWait();
                    if (i > 200_000) {
                        return;
                    }
                }
                socket.emit("end");
            });
            List<String> received = new ArrayList<>(List.of(client.send("6").body()));
            received.clear();
            RawConnection poll = client.poll();
            sender.start();
            RawWebSocket upgraded = client.offer().send("2probe");
            assertThat(upgraded.next().text()).isEqualTo("3probe");
            received.addAll(List.of(poll.response().body().split("\u001e", -1)));
            upgraded.send("5");
            received.add(upgraded.text());
            stop.set(true);
            while (!received.get(received.size() - 1).equals("42[\"end\"]")) {
                received.add(upgraded.text());
            }
            sender.join(10_000);
            received.removeIf(packet -> packet.equals("6"));
            received.remove(received.size() - 1);
            assertThat(received)
                    .isEqualTo(sent.stream().map(i -> "42[\"n\"," + i + "]").toList());
            upgraded.send("1");
            await().atMost(Duration.ofSeconds(5)).until(() -> !socket.isConnected());
            upgraded.close();
        }
    }
}
