package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Ten packets in one polling body, in and out, and the frame of a short text. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PayloadBenchmark {
    private static final String PACKET = "42[\"room:heartbeat\",{\"roomId\":\"room-17\",\"userId\":\"user-4711\"}]";

    private final ByteBuf body = Unpooled.wrappedBuffer(
            String.join("\u001e", Collections.nCopies(10, PACKET)).getBytes(StandardCharsets.UTF_8));
    private final List<ByteBuf> frames =
            Collections.nCopies(10, Frames.text(PooledByteBufAllocator.DEFAULT, PACKET));

    @Benchmark
    public Object decodePayload() {
        return EnginePacket.decodePayload(body);
    }

    @Benchmark
    public int encodePayload() {
        return released(EnginePacket.encodePayload(PooledByteBufAllocator.DEFAULT, frames));
    }

    @Benchmark
    public int encodeFrame() {
        return released(Frames.text(PooledByteBufAllocator.DEFAULT, PACKET));
    }

    private static int released(ByteBuf buffer) {
        int bytes = buffer.readableBytes();
        buffer.release();
        return bytes;
    }
}
