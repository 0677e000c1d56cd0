package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PacketDecoderTest {
    private static @Nullable Packet decode(String text) {
        return PacketDecoder.decode(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    private static String show(@Nullable Packet packet) {
        return packet == null
                ? "refused"
                : packet.type() + " " + packet.namespace() + " " + packet.id() + " " + packet.attachments() + " "
                        + packet.data();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "0                              | CONNECT / -1 0 {}",
                "0{\"token\":\"x\"}             | CONNECT / -1 0 {\"token\":\"x\"}",
                "0/custom                       | CONNECT /custom -1 0 {}",
                "0/custom,                      | CONNECT /custom -1 0 {}",
                "0/custom,{\"a\":1}             | CONNECT /custom -1 0 {\"a\":1}",
                "1                              | DISCONNECT / -1 0 ",
                "1/custom,                      | DISCONNECT /custom -1 0 ",
                "2[\"a\"]                       | EVENT / -1 0 [\"a\"]",
                "212[\"a\",1]                   | EVENT / 12 0 [\"a\",1]",
                "2/custom,0[\"a\",null]         | EVENT /custom 0 0 [\"a\",null]",
                "29007199254740991[\"a\"]       | EVENT / 9007199254740991 0 [\"a\"]",
                "2[\"\"]                        | EVENT / -1 0 [\"\"]",
                "30[]                           | ACK / 0 0 []",
                "3/custom,7[{}]                 | ACK /custom 7 0 [{}]",
                "50-[\"a\"]                     | BINARY_EVENT / -1 0 [\"a\"]",
                "52-/custom,3[\"a\"]            | BINARY_EVENT /custom 3 2 [\"a\"]",
                "61-4[1]                        | BINARY_ACK / 4 1 [1]",
                "564-[\"a\"]                    | BINARY_EVENT / -1 64 [\"a\"]",
            })
    void aPacketIsRead(String text, String packet) {
        assertThat(show(decode(text)).strip()).isEqualTo(packet.strip());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "9[\"a\"]",
                "a",
                " ",
                "\u0000",
                "4{\"message\":\"x\"}",
                "4",
                "0[]",
                "0\"x\"",
                "01",
                "0{",
                "0{}{}",
                "0{} x",
                "0null",
                "0/custom,[]",
                "05{}",
                "1{}",
                "15",
                "1[]",
                "1/custom,x",
                "2",
                "2{}",
                "2[]",
                "2[1]",
                "2[null]",
                "2[{}]",
                "2[[\"a\"]]",
                "2\"a\"",
                "2[\"a\"",
                "2[\"a\"]]",
                "2[\"a\",]",
                "2abc[\"a\"]",
                "2-1[\"a\"]",
                "2+1[\"a\"]",
                "21.5[\"a\"]",
                "29007199254740992[\"a\"]",
                "299999999999999999999999999[\"a\"]",
                "2 1[\"a\"]x",
                "2/custom[\"a\"]",
                "2['a']",
                "2[\"a\",NaN]",
                "2[\"a\",01]",
                "2[\"a\"]//x",
                "2[\"connect\"]",
                "2[\"connect_error\"]",
                "2[\"disconnect\"]",
                "2[\"disconnecting\"]",
                "2[\"newListener\"]",
                "2[\"removeListener\"]",
                "3[]",
                "3",
                "30",
                "30{}",
                "31.0[]",
                "3-1[]",
                "5[\"a\"]",
                "5-[\"a\"]",
                "51[\"a\"]",
                "5-1-[\"a\"]",
                "565-[\"a\"]",
                "5999999999999-[\"a\"]",
                "5",
                "51-",
                "51-[]",
                "61-[1]",
                "6-1[1]",
                "51-1-[\"a\"]",
                "2[\"\\ud800\"]",
                "2[\"a\",{\"x\":1,\"x\":2}]"
            })
    void aMalformedPacketIsRefused(String text) {
        assertThat(show(decode(text))).isEqualTo("refused");
    }

    @Test
    void aNamespaceHasAtMost128Bytes() {
        assertThat(decode("0/" + "n".repeat(127) + ",")).isNotNull();
        assertThat(decode("0/" + "n".repeat(128) + ",")).isNull();
        assertThat(decode("0/" + "n".repeat(50_000))).isNull();
    }

    @Test
    void jsonIsAlwaysReadAsUtf8() {
        assertThat(decode("2\u0000[\u0000\"\u0000a\u0000\"\u0000]")).isNull();
        assertThat(decode("2[\u0000\"\u0000a\u0000\"\u0000]\u0000")).isNull();
        assertThat(decode("2\u0000\u0000\u0000[\u0000\u0000\u0000\"\u0000\u0000\u0000\"\u0000\u0000\u0000]"))
                .isNull();
    }

    @Test
    void anyBytesAreDecodedOrRefusedAndTheBufferIsUnchanged() {
        Random random = new Random(17);
        String[] valid = {
            "0{\"token\":\"secret\"}", "2/custom,12[\"event\",{\"a\":[1,2.5e3,null]},\"\\u00e9\\ud83d\\ude00\"]",
            "52-/custom,3[\"up\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]", "313[true]"
        };
        for (int i = 0; i < 40_000; i++) {
            byte[] bytes = i % 4 == 0
                    ? new byte[random.nextInt(40)]
                    : valid[random.nextInt(valid.length)].getBytes(StandardCharsets.UTF_8);
            if (i % 4 == 0) {
                random.nextBytes(bytes);
            }
            for (int n = random.nextInt(4); n > 0 && bytes.length > 0; n--) {
                bytes[random.nextInt(bytes.length)] = (byte)
                        (random.nextBoolean()
                                ? random.nextInt(256)
                                : "0123456789-,/[]{}\"\\:".charAt(random.nextInt(20)));
            }
            ByteBuf text = Unpooled.wrappedBuffer(bytes);
            Packet packet = PacketDecoder.decode(text);
            if (packet != null) {
                assertThat(packet.attachments()).isBetween(0, PacketDecoder.MAX_ATTACHMENTS);
                assertThat(packet.namespace()).startsWith("/");
            }
            assertThat(text.refCnt()).isEqualTo(1);
            assertThat(text.readableBytes()).isEqualTo(bytes.length);
        }
    }
}
