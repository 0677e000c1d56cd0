package io.hadir.socketio.attack;

import static io.hadir.testing.RawWebSocket.BINARY;
import static io.hadir.testing.RawWebSocket.CLOSE;
import static io.hadir.testing.RawWebSocket.CONTINUATION;
import static io.hadir.testing.RawWebSocket.FIN;
import static io.hadir.testing.RawWebSocket.PING;
import static io.hadir.testing.RawWebSocket.PONG;
import static io.hadir.testing.RawWebSocket.TEXT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.RawWebSocket;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class BadFrameIT {
    /** Sends bytes after connecting, and expects this close code and exactly one disconnect. */
    private static void isClosedWith(int code, byte[]... frames) throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (byte[] frame : frames) {
                all.write(frame);
            }
            socket.connection().send(all.toByteArray());
            assertThat(socket.closeCode()).isEqualTo(code);
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().disconnected() == 1);
            assertThat(server.heard().only().end())
                    .isIn(
                            DisconnectReason.PARSE_ERROR,
                            DisconnectReason.TRANSPORT_ERROR,
                            DisconnectReason.TRANSPORT_CLOSE);
        }
    }

    private static byte[] masked(int firstByte, String payload) throws Exception {
        return RawWebSocket.masked(firstByte, payload.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(ints = {0x40, 0x20, 0x10, 0x70})
    void a05_aFrameWithAReservedBitIsClosedWith1002(int bits) throws Exception {
        isClosedWith(1002, masked(FIN | bits | TEXT, "42[\"message\"]"));
    }

    @Test
    void a05_aFrameWithoutAMaskIsClosedWith1002() throws Exception {
        isClosedWith(1002, RawWebSocket.header(FIN | TEXT, 0, 4), "42[]".getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6, 7, 11, 12, 13, 14, 15})
    void a05_aReservedOpcodeIsClosedWith1002(int opcode) throws Exception {
        isClosedWith(1002, masked(FIN | opcode, "x"));
    }

    @ParameterizedTest
    @ValueSource(ints = {CLOSE, PING, PONG})
    void a05_aFragmentedControlFrameIsClosedWith1002(int opcode) throws Exception {
        isClosedWith(1002, masked(opcode, ""));
    }

    @ParameterizedTest
    @ValueSource(ints = {CLOSE, PING, PONG})
    void a05_aLongControlFrameIsClosedWith1002(int opcode) throws Exception {
        isClosedWith(1002, masked(FIN | opcode, "x".repeat(126)));
    }

    @Test
    void a05_aContinuationWithoutAStartIsClosedWith1002() throws Exception {
        isClosedWith(1002, masked(FIN | CONTINUATION, "x"));
        isClosedWith(1002, masked(CONTINUATION, "x"));
    }

    @Test
    void a05_aNewMessageInsideAnotherIsClosedWith1002() throws Exception {
        isClosedWith(1002, masked(TEXT, "42["), masked(FIN | TEXT, "\"a\"]"));
        isClosedWith(1002, masked(BINARY, "x"), masked(TEXT, "x"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535})
    void a05_aCloseFrameWithABadCodeClosesTheConnection(int code) throws Exception {
        closes(new byte[] {(byte) (code >> 8), (byte) code});
    }

    private static void closes(byte[] payload) throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.frame(FIN | CLOSE, payload);
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().disconnected() == 1);
        }
    }

    @Test
    void a05_aCloseFrameOfOneByteIsClosedWith1002() throws Exception {
        isClosedWith(1002, RawWebSocket.masked(FIN | CLOSE, new byte[] {3}));
    }

    @Test
    void a05_aCloseFrameWithAReasonThatIsNotUtf8ClosesTheConnection() throws Exception {
        closes(new byte[] {3, (byte) 232, (byte) 0xff});
    }

    @ParameterizedTest
    @ValueSource(longs = {100_001, 65_536L * 65_536, Long.MAX_VALUE, -1, Long.MIN_VALUE})
    void a06_aGiantFrameIsRefusedByItsHeaderAlone(long length) throws Exception {
        byte[] header = RawWebSocket.header(FIN | TEXT, 0x80, length < 0 ? Long.MAX_VALUE : length);
        for (int i = 0; i < 8; i++) {
            header[2 + i] = (byte) (length >> (56 - 8 * i));
        }
        isClosedWith(length < 0 ? 1002 : 1009, header);
    }

    @Test
    void a06_aFragmentedMessageBeyondTheLimitIsClosedWith1009() throws Exception {
        byte[] piece = masked(CONTINUATION, "x".repeat(50_000));
        isClosedWith(1009, masked(TEXT, "42[\"a\",\""), piece, piece);
    }

    @Test
    void a06_aMessageOfThousandsOfTinyFragmentsIsClosedWith1009() throws Exception {
        ByteArrayOutputStream pieces = new ByteArrayOutputStream();
        for (int i = 0; i < 1_001; i++) {
            pieces.write(masked(CONTINUATION, i % 2 == 0 ? "" : "x"));
        }
        isClosedWith(1009, masked(TEXT, "42"), pieces.toByteArray());
    }

    @Test
    void a06_aMessageOfExactlyTheLimitPasses() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            String largest = "42[\"message\",\"" + "x".repeat(100_000 - 16) + "\"]";
            assertThat(largest).hasSize(100_000);
            socket.send(largest);
            assertThat(socket.text()).hasSize(100_005);
        }
    }

    @Test
    void a08_textThatIsNotUtf8IsClosedWith1007() throws Exception {
        for (String hex : new String[] {"ff", "c080", "eda080", "f4908080", "e282", "80", "c3", "f0808080"}) {
            byte[] bad = HexFormat.of().parseHex("34325b2261222c22" + hex + "225d");
            isClosedWith(1007, RawWebSocket.masked(FIN | TEXT, bad));
        }
    }

    @Test
    void a08_halfACharacterAtTheEndIsClosedWith1007() throws Exception {
        isClosedWith(
                1007,
                RawWebSocket.masked(TEXT, new byte[] {'4', '2', (byte) 0xe2}),
                RawWebSocket.masked(FIN | CONTINUATION, new byte[] {(byte) 0x82}));
    }

    @Test
    void a05_emptyFramesAndUnsolicitedPongsAreHarmless() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.frame(FIN | PONG, "x").frame(FIN | PONG, "").frame(FIN | PING, "");
            assertThat(socket.next().opcode()).isEqualTo(PONG);
            socket.frame(TEXT, "").frame(CONTINUATION, "").frame(FIN | CONTINUATION, "42[\"message\"]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void a05_randomBytesNeverBreakTheServer() throws Exception {
        Random random = new Random(5);
        try (TestServer server = TestServer.start()) {
            for (int i = 0; i < 200; i++) {
                RawWebSocket socket = server.connectedWebSocket();
                byte[] bytes = new byte[1 + random.nextInt(300)];
                random.nextBytes(bytes);
                socket.connection().send(bytes);
                socket.close();
            }
            await().until(() -> server.heard().disconnected() == 200);
        }
    }
}
