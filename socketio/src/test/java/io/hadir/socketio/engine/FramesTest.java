package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.testing.NoLeaks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class FramesTest {
    private static final ByteBufAllocator ALLOCATOR = ByteBufAllocator.DEFAULT;

    /** Reads a frame as a WebSocket client would. */
    private static WebSocketFrame read(ByteBuf frame) {
        WebSocketDecoderConfig client = WebSocketDecoderConfig.newBuilder()
                .expectMaskedFrames(false)
                .maxFramePayloadLength(1 << 24)
                .build();
        EmbeddedChannel channel = new EmbeddedChannel(new WebSocket13FrameDecoder(client));
        channel.writeInbound(frame);
        WebSocketFrame read = channel.readInbound();
        assertThat(channel.<Object>readInbound()).isNull();
        channel.finishAndReleaseAll();
        return read;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 124, 125, 126, 65_534, 65_535, 65_536, 70_000})
    void aMessageOfAnyLengthIsOneFrame(int length) {
        String text = "x".repeat(length);
        ByteBuf message = Frames.allocate(ALLOCATOR, 0, 16);
        message.writeCharSequence(text, StandardCharsets.UTF_8);
        ByteBuf frame = Frames.sealText(message);

        assertThat(Frames.isBinary(frame)).isFalse();
        assertThat(Frames.payload(frame).toString(StandardCharsets.UTF_8)).isEqualTo("4" + text);
        WebSocketFrame read = read(frame);
        assertThat(read).isInstanceOf(TextWebSocketFrame.class);
        assertThat(read.isFinalFragment()).isTrue();
        assertThat(((TextWebSocketFrame) read).text()).isEqualTo("4" + text);
        read.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 125, 126, 65_535, 65_536})
    void bytesOfAnyLengthAreOneFrame(int length) {
        byte[] bytes = new byte[length];
        ByteBuf content = ALLOCATOR.directBuffer().writeBytes(bytes);
        ByteBuf frame = Frames.binary(ALLOCATOR, content);

        assertThat(content.refCnt()).isZero();
        assertThat(Frames.isBinary(frame)).isTrue();
        assertThat(ByteBufUtil.getBytes(Frames.payload(frame))).isEqualTo(bytes);
        WebSocketFrame read = read(frame);
        assertThat(read).isInstanceOf(BinaryWebSocketFrame.class);
        assertThat(ByteBufUtil.getBytes(read.content())).isEqualTo(bytes);
        read.release();
    }

    @Test
    void headroomLeavesSpaceInFrontOfTheMessage() {
        ByteBuf message = Frames.allocate(ALLOCATOR, 5, 0);
        message.writeCharSequence("tail", StandardCharsets.US_ASCII);
        message.setCharSequence(message.readerIndex() - 5, "head:", StandardCharsets.US_ASCII);
        ByteBuf frame = Frames.sealText(message.readerIndex(message.readerIndex() - 5));

        assertThat(Frames.payload(frame).toString(StandardCharsets.UTF_8)).isEqualTo("4head:tail");
        frame.release();
    }

    @Test
    void constantsSurviveTheirRelease() {
        for (ByteBuf constant : new ByteBuf[] {Frames.PING, Frames.PROBE_ANSWER, Frames.NOOP, Frames.CLOSE}) {
            constant.duplicate().release();
            constant.duplicate().release();
            assertThat(constant.refCnt()).isEqualTo(1);
        }
        assertThat(Frames.payload(Frames.PROBE_ANSWER.duplicate()).toString(StandardCharsets.UTF_8))
                .isEqualTo("3probe");
        assertThat(Unpooled.EMPTY_BUFFER.refCnt()).isEqualTo(1);
    }
}
