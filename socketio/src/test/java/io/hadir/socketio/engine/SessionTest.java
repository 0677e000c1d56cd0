package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.socketio.http.Origins;
import io.hadir.socketio.limit.Slots;
import io.hadir.testing.Logs;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SessionTest {
    private static final TransportConfig CONFIG = new TransportConfig(
            Duration.ofSeconds(25), Duration.ofSeconds(20), 1_000, 1_000, Duration.ofSeconds(1), Duration.ofSeconds(1));

    private final EmbeddedChannel loop = new EmbeddedChannel();
    private final List<CloseReason> ends = new ArrayList<>();
    private final Engine engine = new Engine(
            CONFIG, new Origins(List.of(), false), new Slots(10, 0, 0, 10), loop.eventLoop(), session -> new Handler());

    private final class Handler implements SessionHandler {
        @Override
        public void text(ByteBuf message) {}

        @Override
        public void binary(ByteBuf message) {}

        @Override
        public void closed(CloseReason reason) {
            ends.add(reason);
        }
    }

    /** A transport whose methods throw. */
    private static final class Broken implements Transport {
        @Override
        public void send(ByteBuf frame) {
            frame.release();
            throw new IllegalStateException("as asked");
        }

        @Override
        public void flush() {
            throw new IllegalStateException("as asked");
        }

        @Override
        public void setKnown(boolean known) {
            throw new IllegalStateException("as asked");
        }

        @Override
        public boolean isOverflowing() {
            return false;
        }

        @Override
        public void close(CloseReason reason) {
            throw new IllegalStateException("as asked");
        }

        @Override
        public void abort() {
            throw new IllegalStateException("as asked");
        }
    }

    private Session open() {
        return Objects.requireNonNull(engine.open(InetAddress.getLoopbackAddress(), new Broken(), loop.eventLoop()));
    }

    @ParameterizedTest
    @EnumSource(CloseReason.class)
    void theHandlerIsClosedEvenIfTheTransportFailsToClose(CloseReason reason) {
        try (Logs logs = Logs.listen()) {
            open().close(reason);
            loop.runPendingTasks();
            assertThat(ends).containsExactly(reason);
            assertThat(engine.sessions()).isZero();
            assertThat(logs.troubles()).isNotEmpty();
        }
    }

    @Test
    void aFailingTransportEndsTheSession() {
        try (Logs logs = Logs.listen()) {
            open().send(Frames.NOOP.duplicate());
            loop.runPendingTasks();
            assertThat(ends).containsExactly(CloseReason.TRANSPORT_ERROR);
            assertThat(engine.sessions()).isZero();
            assertThat(logs.troubles()).isNotEmpty();
        }
    }
}
