package io.hadir.socketio;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartialPacketTest {
    private static PartialPacket partial(String text, int maxBytes) {
        Packet packet = PacketDecoder.decode(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        return new PartialPacket(requireNonNull(packet), maxBytes);
    }

    private static @Nullable Packet assembled(String text) {
        PartialPacket partial = partial(text, 100);
        for (byte i = 0; !partial.isComplete(); i++) {
            assertThat(partial.add(Unpooled.wrappedBuffer(new byte[] {i}))).isTrue();
        }
        return partial.assemble();
    }

    @Test
    void attachmentsReplaceTheirPlaceholders() {
        Packet packet = requireNonNull(
                assembled("52-[\"a\",{\"x\":{\"_placeholder\":true,\"num\":1}},[{\"_placeholder\":true,\"num\":0}]]"));
        assertThat(packet.data().get(1).get("x").binaryValue()).containsExactly(1);
        assertThat(packet.data().get(2).get(0).binaryValue()).containsExactly(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "51-[\"a\"]",
                "51-[\"a\",{\"_placeholder\":true,\"num\":1}]",
                "51-[\"a\",{\"_placeholder\":true,\"num\":-1}]",
                "51-[\"a\",{\"_placeholder\":true,\"num\":99999999999}]",
                "51-[\"a\",{\"_placeholder\":true,\"num\":\"0\"}]",
                "51-[\"a\",{\"_placeholder\":true,\"num\":0.5}]",
                "51-[\"a\",{\"_placeholder\":true,\"num\":null}]",
                "51-[\"a\",{\"_placeholder\":true,\"num\":{}}]",
                "51-[\"a\",{\"_placeholder\":true}]",
                "51-[\"a\",{\"_placeholder\":\"true\",\"num\":0}]",
                "52-[\"a\",{\"_placeholder\":true,\"num\":0}]",
                "52-[\"a\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":0}]"
            })
    void mismatchedPlaceholdersAreRefused(String text) {
        assertThat(assembled(text)).isNull();
    }

    @Test
    void theTotalSizeOfAttachmentsIsLimited() {
        PartialPacket partial = partial("53-[\"a\"]", 100);
        ByteBuf half = Unpooled.wrappedBuffer(new byte[50]);
        assertThat(partial.add(half)).isTrue();
        assertThat(partial.add(half)).isTrue();
        assertThat(partial.add(Unpooled.wrappedBuffer(new byte[1]))).isFalse();
        assertThat(half.refCnt()).isEqualTo(1);
    }
}
