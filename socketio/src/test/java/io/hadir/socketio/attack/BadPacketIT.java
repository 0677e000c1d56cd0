package io.hadir.socketio.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawWebSocket;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed Engine.IO and Socket.IO packets. A bystander stays connected throughout and is unaffected. */
@ExtendWith(NoLeaks.class)
class BadPacketIT {
    private static TestServer server;
    private static RawWebSocket bystander;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start();
        bystander = server.connectedWebSocket();
    }

    @AfterAll
    static void bystanderNoticedNothing() throws Exception {
        bystander.send("42[\"message\",1]");
        assertThat(bystander.text()).isEqualTo("42[\"message-back\",1]");
        bystander.close();
        server.close();
    }

    private static void isClosedWithoutAnEvent(RawWebSocket socket) throws Exception {
        int before = server.heard().disconnected();
        int events = events();
        assertThat(socket.connection().isClosedByServer()).isTrue();
        await().until(() -> server.heard().disconnected() > before
                || server.heard().connected() == server.heard().disconnected() + 1);
        assertThat(events()).isEqualTo(events);
        socket.close();
    }

    private static int events() {
        return server.heard().lives().stream()
                .mapToInt(life -> life.events().size())
                .sum();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "4",
                "49",
                "4a",
                "44{\"message\":\"x\"}",
                "4-1",
                "4 2[\"a\"]",
                "42",
                "42[]",
                "42{}",
                "42[1,2]",
                "42[null]",
                "42[{\"toString\":1}]",
                "42[\"a\"",
                "42[\"a\"]]",
                "42\"a\"",
                "42[\"connect\"]",
                "42[\"disconnect\"]",
                "42[\"disconnecting\"]",
                "42[\"newListener\"]",
                "42[\"removeListener\"]",
                "42[\"connect_error\"]",
                "42abc[\"a\"]",
                "42-1[\"a\"]",
                "429007199254740992[\"a\"]",
                "4299999999999999999999[\"a\"]",
                "421.5[\"a\"]",
                "42/unknown,[\"a\"]",
                "42//[\"a\"]",
                "43[]",
                "430{}",
                "4",
                "41[]",
                "40",
                "40[]",
                "40null",
                "42[\"a\",\"\u0000\"]",
                "42[\"\\ud800\"]",
                "42[\"a\",{\"a\":1,\"a\":2}]",
                "42\u0000[\"a\"]",
                "7",
                "9",
                "x",
                "0{}",
                "2",
                "5",
                "2probe"
            })
    void a01_aMalformedPacketClosesOnlyItsOwnConnection(String packet) throws Exception {
        isClosedWithoutAnEvent(server.connectedWebSocket().send(packet));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "49",
                "42[1]",
                "42[\"connect\"]",
                "42[\"a\"",
                "9",
                "",
                "\u001e",
                "42[\"a\"]\u001e",
                "b",
                "b!!",
                "bAA==\u001e4"
            })
    void a01_aMalformedBodyClosesOnlyItsOwnSession(String body) throws Exception {
        int before = server.heard().disconnected();
        try (PollingClient client = server.connectedPolling()) {
            assertThat(client.send(body).status()).isIn(200, 400);
            await().until(() -> server.heard().disconnected() > before);
            assertThat(client.fetch().body()).matches("1|\\{\"code\":1,.*");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "45[\"a\"]",
                "45-[\"a\"]",
                "450",
                "4565-[\"a\"]",
                "451000000-[\"a\"]",
                "4599999999999999999999-[\"a\"]",
                "45-1-[\"a\"]",
                "451.0-[\"a\"]",
                "451-[]",
                "451-[1]",
                "461-[1]",
                "46-0[]",
                "451-/unknown,[\"a\"]"
            })
    void a02_badAttachmentCountsAreRefused(String packet) throws Exception {
        RawWebSocket socket = server.connectedWebSocket().send(packet);
        if (packet.contains("unknown")) {
            socket.send(new byte[1]);
        }
        isClosedWithoutAnEvent(socket);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "451-[\"a\"]",
                "451-[\"a\",{\"_placeholder\":true,\"num\":1}]",
                "451-[\"a\",{\"_placeholder\":true,\"num\":-1}]",
                "451-[\"a\",{\"_placeholder\":true,\"num\":\"0\"}]",
                "451-[\"a\",{\"_placeholder\":true}]",
                "451-[\"a\",{\"_placeholder\":true,\"num\":1e9}]",
                "451-[\"a\",{\"_placeholder\":true,\"num\":0.1}]"
            })
    void a02_mismatchedPlaceholdersAreRefused(String packet) throws Exception {
        isClosedWithoutAnEvent(server.connectedWebSocket().send(packet).send(new byte[] {1}));
    }

    @Test
    void a02_textInsteadOfAnAttachmentIsRefused() throws Exception {
        isClosedWithoutAnEvent(server.connectedWebSocket()
                .send("451-[\"a\",{\"_placeholder\":true,\"num\":0}]")
                .send("42[\"message\"]"));
    }

    @Test
    void a02_unannouncedBytesAreRefused() throws Exception {
        isClosedWithoutAnEvent(server.connectedWebSocket().send(new byte[] {4, 5}));
    }

    @Test
    void a02_theTotalSizeOfAttachmentsIsLimited() throws Exception {
        RawWebSocket socket = server.connectedWebSocket().send("453-[\"a\"]");
        socket.send(new byte[60_000]).send(new byte[60_000]);
        isClosedWithoutAnEvent(socket);
    }

    @Test
    void a02_aMissingAttachmentDoesNotBlockTheConnection() throws Exception {
        try (RawWebSocket socket = server.connectedWebSocket().send("4564-[\"a\"]")) {
            socket.send(new byte[10]);
            socket.frame(RawWebSocket.FIN | RawWebSocket.PING, "x");
            assertThat(socket.next().opcode()).isEqualTo(RawWebSocket.PONG);
        }
    }

    @Test
    void a01_randomPacketsNeverBreakTheServer() throws Exception {
        Random random = new Random(1);
        String alphabet = "0123456789[]{}\",:/-_abtrue\\u\u001e€ ";
        for (int i = 0; i < 150; i++) {
            StringBuilder packet = new StringBuilder("4");
            for (int n = random.nextInt(20); n >= 0; n--) {
                packet.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try (RawWebSocket socket = server.webSocket().send("40").send(packet.toString())) {
                socket.next();
            }
        }
        await().until(() -> server.heard().connected() == server.heard().disconnected() + 1);
        assertThat(server.heard().lives())
                .filteredOn(life -> life.end() != null)
                .extracting(life -> life.end())
                .doesNotContain(DisconnectReason.SHUTTING_DOWN);
    }
}
