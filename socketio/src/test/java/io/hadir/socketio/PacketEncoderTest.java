package io.hadir.socketio;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hadir.testing.NoLeaks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeaks.class)
class PacketEncoderTest {
    private final PacketEncoder encoder = new PacketEncoder(ByteBufAllocator.DEFAULT);

    /** Returns the payloads of the frames, the first of which is text, and releases the frames. */
    private static List<byte[]> payloads(List<ByteBuf> frames) {
        List<byte[]> payloads = new ArrayList<>();
        for (ByteBuf frame : frames) {
            int length = frame.getUnsignedByte(frame.readerIndex() + 1);
            frame.skipBytes(length < 126 ? 2 : length == 126 ? 4 : 10);
            payloads.add(ByteBufUtil.getBytes(frame));
            frame.release();
        }
        return payloads;
    }

    private static String text(List<ByteBuf> frames) {
        return new String(payloads(frames).get(0), StandardCharsets.UTF_8);
    }

    private static @Nullable Object[] args(@Nullable Object... arguments) {
        return arguments;
    }

    @Test
    void eventsAndAcknowledgementsAreWritten() {
        assertThat(text(encoder.event("/", Packet.NO_ID, "hi", args()))).isEqualTo("42[\"hi\"]");
        assertThat(text(encoder.event("/", 7, "hi", args(1, null, "é", Map.of("a", true)))))
                .isEqualTo("427[\"hi\",1,null,\"é\",{\"a\":true}]");
        assertThat(text(encoder.event("/custom", Long.MAX_VALUE, "hi", args())))
                .isEqualTo("42/custom,9223372036854775807[\"hi\"]");
        assertThat(text(encoder.ack("/", 0, args()))).isEqualTo("430[]");
        assertThat(text(encoder.ack("/custom", 12, args("x")))).isEqualTo("43/custom,12[\"x\"]");
    }

    @Test
    void controlPacketsAreWritten() {
        assertThat(text(List.of(encoder.control(Packet.Type.CONNECT, "/", Map.of("sid", "x")))))
                .isEqualTo("40{\"sid\":\"x\"}");
        assertThat(text(List.of(encoder.control(Packet.Type.DISCONNECT, "/custom", null))))
                .isEqualTo("41/custom,");
    }

    @Test
    void anUnknownNamespaceIsEchoedUnchanged() {
        assertThat(text(List.of(encoder.control(Packet.Type.CONNECT_ERROR, "/ñ€😀", Map.of("message", "no")))))
                .isEqualTo("44/ñ€😀,{\"message\":\"no\"}");
    }

    @Test
    void bytesTravelInFramesOfTheirOwn() {
        byte[] one = {1, 2, 3};
        byte[] two = new byte[70_000];
        List<ByteBuf> frames = encoder.event("/custom", 5, "up", args(one, Map.of("deep", List.of(two))));
        assertThat(frames).hasSize(3);
        assertThat(frames.get(1).getUnsignedByte(frames.get(1).readerIndex())).isEqualTo((short) 0x82);
        List<byte[]> payloads = payloads(frames);
        assertThat(new String(payloads.get(0), StandardCharsets.UTF_8))
                .isEqualTo("452-/custom,5[\"up\",{\"_placeholder\":true,\"num\":0},"
                        + "{\"deep\":[{\"_placeholder\":true,\"num\":1}]}]");
        assertThat(payloads.get(1)).isEqualTo(one);
        assertThat(payloads.get(2)).isEqualTo(two);
        assertThat(text(encoder.ack("/", 5, args(one)))).startsWith("461-5[");
    }

    @Test
    void anArgumentThatCannotBeWrittenThrowsAndLeaksNothing() {
        List<Object> bad = new ArrayList<>();
        bad.add(bad);
        for (int i = 0; i < 50; i++) {
            assertThatThrownBy(() -> encoder.event("/", Packet.NO_ID, "hi", args(bad)))
                    .isNotNull();
            assertThatThrownBy(() -> encoder.event("/", Packet.NO_ID, "hi", args(new byte[10], bad)))
                    .isNotNull();
            assertThatThrownBy(() -> encoder.control(Packet.Type.CONNECT_ERROR, "/", Map.of("data", bad)))
                    .isNotNull();
        }
    }

    @Test
    void encodedPacketsCanBeDecoded() {
        Random random = new Random(23);
        for (int i = 0; i < 2_000; i++) {
            List<byte[]> binaries = new ArrayList<>();
            @Nullable Object[] arguments = new Object[random.nextInt(4)];
            Arrays.setAll(arguments, n -> anything(random, 3, binaries));
            long id = random.nextBoolean() ? Packet.NO_ID : random.nextInt(1_000);
            List<byte[]> sent = payloads(encoder.event("/custom", id, "event", arguments));
            byte[] text = sent.get(0);
            Packet packet = requireNonNull(PacketDecoder.decode(Unpooled.wrappedBuffer(text, 1, text.length - 1)));

            assertThat(packet.attachments()).isEqualTo(binaries.size()).isEqualTo(sent.size() - 1);
            if (packet.attachments() > 0) {
                PartialPacket partial = new PartialPacket(packet, 100_000);
                sent.subList(1, sent.size()).forEach(binary -> partial.add(Unpooled.wrappedBuffer(binary)));
                packet = requireNonNull(partial.assemble());
            }
            List<@Nullable Object> expected = new ArrayList<>();
            expected.add("event");
            expected.addAll(Arrays.asList(arguments));
            assertThat(packet.id()).isEqualTo(id);
            assertThat(Json.MAPPER.writeValueAsString(packet.data()))
                    .isEqualTo(Json.MAPPER.writeValueAsString(expected));
        }
    }

    private static @Nullable Object anything(Random random, int depth, List<byte[]> binaries) {
        return switch (random.nextInt(depth == 0 ? 5 : 7)) {
            case 0 -> random.nextInt();
            case 1 -> "text € 😀 \" \\ \n " + random.nextInt(10);
            case 2 -> random.nextBoolean();
            case 3 -> null;
            case 4 -> {
                byte[] binary = new byte[random.nextInt(20)];
                random.nextBytes(binary);
                binaries.add(binary);
                yield binary;
            }
            case 5 -> {
                List<@Nullable Object> list = new ArrayList<>();
                for (int i = random.nextInt(3); i > 0; i--) {
                    list.add(anything(random, depth - 1, binaries));
                }
                yield list;
            }
            default -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                for (int i = random.nextInt(3); i > 0; i--) {
                    map.put("k" + i, anything(random, depth - 1, binaries));
                }
                yield map;
            }
        };
    }
}
