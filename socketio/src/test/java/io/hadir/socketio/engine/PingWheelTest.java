package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.WebSocketHandshake;
import io.hadir.socketio.limit.Slots;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The test sets the wheel's time: the interval of 1 s is 100 ticks of 10 ms, the timeout 30 ticks. */
class PingWheelTest {
    private static final long TICK = Duration.ofMillis(10).toNanos();
    private static final int INTERVAL = 100;
    private static final Slots SLOTS = new Slots(1_000_000, 0, 0, 1_000_000);

    private final List<Client> clients = new ArrayList<>();
    private final Engine engine = new Engine(
            new TransportConfig(
                    Duration.ofSeconds(1),
                    Duration.ofMillis(300),
                    1_000,
                    1_000,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1)),
            new Origins(List.of(), false),
            SLOTS,
            new EmbeddedChannel().eventLoop(),
            session -> clients.get(clients.size() - 1));
    private long now = firstTick() - TICK;

    private long firstTick() {
        long nanos = System.nanoTime();
        return nanos + engine.wheel().advance(nanos);
    }

    /** A WebSocket client and the handler of its session. */
    private final class Client implements SessionHandler {
        final EmbeddedChannel channel = new EmbeddedChannel();
        final List<CloseReason> ends = new ArrayList<>();

        Client() {
            clients.add(this);
            InetAddress address = InetAddress.getLoopbackAddress();
            channel.pipeline()
                    .addLast(new WebSocketTransport(
                            channel, engine, address, Objects.requireNonNull(SLOTS.take(null)), null));
            channel.pipeline().fireUserEventTriggered(WebSocketHandshake.Opened.INSTANCE);
            channel.runPendingTasks();
            assertThat(sent()).hasSize(1);
        }

        /** Returns the packets since the last call. */
        List<String> sent() {
            List<String> packets = new ArrayList<>();
            for (Object out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
                if (out instanceof ByteBuf frame) {
                    packets.add(Frames.payload(frame).toString(StandardCharsets.UTF_8));
                }
                ReferenceCountUtil.release(out);
            }
            return packets;
        }

        void pong() {
            channel.writeInbound(new TextWebSocketFrame("3"));
        }

        @Override
        public void text(ByteBuf message) {}

        @Override
        public void binary(ByteBuf message) {}

        @Override
        public void closed(CloseReason reason) {
            ends.add(reason);
        }
    }

    private void ticks(int count) {
        for (int i = 0; i < count; i++) {
            now += TICK;
            engine.wheel().advance(now);
            clients.forEach(client -> client.channel.runPendingTasks());
        }
    }

    @AfterEach
    void end() {
        clients.forEach(client -> client.channel.finishAndReleaseAll());
    }

    @Test
    void everySessionIsPingedOncePerInterval() {
        Client client = new Client();
        ticks(INTERVAL - 1);
        assertThat(client.sent()).isEmpty();
        for (int i = 0; i < 5; i++) {
            ticks(1);
            assertThat(client.sent()).containsExactly("2");
            client.pong();
            ticks(INTERVAL - 1);
            assertThat(client.sent()).isEmpty();
        }
        assertThat(client.ends).isEmpty();
    }

    /** Waits until the timeout has passed by the clock as well. */
    private void passTimeout() {
        long end = System.nanoTime() + engine.wheel().patienceNanos();
        await().until(() -> System.nanoTime() >= end);
    }

    @Test
    void aSilentSessionEndsOneTimeoutAfterItsPing() {
        Client silent = new Client();
        Client lively = new Client();
        ticks(INTERVAL);
        lively.pong();
        passTimeout();
        ticks(29);
        assertThat(silent.ends).isEmpty();
        ticks(1);
        assertThat(silent.ends).containsExactly(CloseReason.PING_TIMEOUT);
        assertThat(lively.ends).isEmpty();
        assertThat(engine.closings(CloseReason.PING_TIMEOUT)).isEqualTo(1);

        ticks(3 * INTERVAL);
        assertThat(silent.ends).hasSize(1);
    }

    @Test
    void aStallOfTheServerMakesNoClientSilent() {
        Client client = new Client();
        ticks(INTERVAL);
        now += Duration.ofMinutes(10).toNanos();
        ticks(1);
        assertThat(client.ends).isEmpty();
        client.pong();
        ticks(INTERVAL - 10);
        assertThat(client.ends).isEmpty();
    }

    @Test
    void aFewLateTicksAreCaughtUp() {
        Client client = new Client();
        ticks(INTERVAL - 4);
        now += 3 * TICK;
        ticks(1);
        assertThat(client.sent()).containsExactly("2");
    }

    @Test
    void aSilentSessionIsClosedInTimeEvenIfItsLoopLagsATick() {
        Client silent = new Client();
        ticks(INTERVAL - 1);
        now += 2 * TICK;
        engine.wheel().advance(now);
        silent.channel.runPendingTasks();
        assertThat(silent.sent()).containsExactly("2");

        passTimeout();
        ticks(30);
        assertThat(silent.ends).containsExactly(CloseReason.PING_TIMEOUT);
    }

    @Test
    void sessionsComeAndGoInAnyOrder() {
        List<Client> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(new Client());
            if (i % 3 == 0) {
                ticks(1);
            }
        }
        for (int i = 0; i < 200; i += 2) {
            all.get(i).channel.close();
        }
        for (int i = 0; i < INTERVAL; i++) {
            ticks(1);
            for (Client client : all) {
                if (client.sent().contains("2")) {
                    client.pong();
                }
            }
        }
        ticks(40);
        for (int i = 0; i < 200; i++) {
            assertThat(all.get(i).ends).hasSize(i % 2 == 0 ? 1 : 0);
        }
        assertThat(engine.sessions()).isEqualTo(100);
    }
}
