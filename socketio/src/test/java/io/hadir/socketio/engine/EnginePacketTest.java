package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnginePacketTest {
    private static ByteBuf utf8(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static String show(@Nullable EnginePacket packet) {
        return packet == null
                ? "refused"
                : packet.type() + (packet.binary() ? "*" : "") + ":"
                        + packet.data()
                                .toString(packet.binary() ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    private static List<String> show(@Nullable List<EnginePacket> packets) {
        return packets == null
                ? List.of("refused")
                : packets.stream().map(EnginePacketTest::show).toList();
    }

    @ParameterizedTest
    @CsvSource({"0,OPEN:", "1,CLOSE:", "2probe,PING:probe", "3,PONG:", "4hi,MESSAGE:hi", "5,UPGRADE:", "6,NOOP:"})
    void aTextPacketIsItsTypeAndItsData(String text, String packet) {
        assertThat(show(EnginePacket.decodeText(utf8(text)))).isEqualTo(packet);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "9", "a", "/", ":", " 4", "-1", "bAQID", "\u0000", "é", "４"})
    void anythingElseIsNotATextPacket(String text) {
        assertThat(EnginePacket.decodeText(utf8(text))).isNull();
    }

    @Test
    void aPayloadIsPacketsBetweenSeparators() {
        assertThat(show(EnginePacket.decodePayload(utf8("4a\u001e2\u001ebAQL/\u001e4€"))))
                .containsExactly("MESSAGE:a", "PING:", "MESSAGE*:\u0001\u0002\u00ff", "MESSAGE:€");
        assertThat(show(EnginePacket.decodePayload(utf8("b")))).containsExactly("MESSAGE*:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\u001e",
                "4a\u001e",
                "\u001e4a",
                "4a\u001e\u001e4b",
                "4a\u001e7",
                "b!",
                "bAQ=A",
                "bA",
                "4\u001eb==="
            })
    void aPayloadWithOneBadPacketIsRefusedAsAWhole(String body) {
        assertThat(EnginePacket.decodePayload(utf8(body))).isNull();
    }

    @Test
    void a55_aPayloadHoldsAtMostTenThousandPackets() {
        assertThat(EnginePacket.decodePayload(utf8("4" + "\u001e4".repeat(9_999))))
                .hasSize(10_000);
        assertThat(EnginePacket.decodePayload(utf8("4" + "\u001e4".repeat(10_000))))
                .isNull();
    }

    @Test
    void utf8IsValidatedAsByTheJdk() {
        Random random = new Random(8);
        byte[] hot = {
            0x00,
            0x7f,
            (byte) 0x80,
            (byte) 0xbf,
            (byte) 0xc0,
            (byte) 0xc1,
            (byte) 0xc2,
            (byte) 0xdf,
            (byte) 0xe0,
            (byte) 0xa0,
            (byte) 0xed,
            (byte) 0x9f,
            (byte) 0xef,
            (byte) 0xf0,
            (byte) 0x90,
            (byte) 0x8f,
            (byte) 0xf4,
            (byte) 0xf5,
            (byte) 0xff
        };
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(7)];
            for (int b = 0; b < bytes.length; b++) {
                bytes[b] = hot[random.nextInt(hot.length)];
            }
            if (EnginePacket.isUtf8(Unpooled.wrappedBuffer(bytes)) != isUtf8(bytes)) {
                fail("not as the JDK does: " + HexFormat.of().formatHex(bytes));
            }
        }
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    @Test
    void anyBytesAreDecodedOrRefusedAndTheBufferIsUnchanged() {
        Random random = new Random(4);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = i % 2 == 0 ? randomBytes(random) : mutated(random);
            ByteBuf body = ByteBufAllocator.DEFAULT.directBuffer().writeBytes(bytes);
            List<EnginePacket> packets = EnginePacket.decodePayload(body);
            EnginePacket.decodeText(body);
            assertThat(packets == null || !packets.isEmpty()).isTrue();
            assertThat(body.refCnt()).isEqualTo(1);
            assertThat(body.readableBytes()).isEqualTo(bytes.length);
            body.release();
        }
    }

    private static byte[] randomBytes(Random random) {
        byte[] bytes = new byte[random.nextInt(60)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] mutated(Random random) {
        byte[] bytes = "4hello\u001ebAQIDBA==\u001e42[\"a\",{}]\u001e6".getBytes(StandardCharsets.UTF_8);
        for (int n = random.nextInt(4); n >= 0; n--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    @Test
    void encodedPayloadsCanBeDecoded() {
        Random random = new Random(5);
        for (int i = 0; i < 2_000; i++) {
            List<ByteBuf> frames = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int n = random.nextInt(5); n >= 0; n--) {
                byte[] bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
                if (random.nextBoolean()) {
                    frames.add(Frames.binary(ByteBufAllocator.DEFAULT, Unpooled.wrappedBuffer(bytes)));
                    expected.add("MESSAGE*:" + new String(bytes, StandardCharsets.ISO_8859_1));
                } else {
                    String text = new String(bytes, StandardCharsets.ISO_8859_1).replace('\u001e', ' ');
                    frames.add(Frames.text(ByteBufAllocator.DEFAULT, "4" + text));
                    expected.add("MESSAGE:" + text);
                }
            }
            ByteBuf body = EnginePacket.encodePayload(ByteBufAllocator.DEFAULT, frames);
            assertThat(show(EnginePacket.decodePayload(body))).isEqualTo(expected);
            body.release();
            assertThat(frames).allSatisfy(frame -> assertThat(frame.refCnt()).isEqualTo(1));
            frames.forEach(ByteBuf::release);
        }
    }
}
