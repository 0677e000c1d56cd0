package io.hadir.socketio;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

/** A heartbeat as it comes in and as it is answered. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PacketBenchmark {
    private final ByteBuf heartbeat = Unpooled.wrappedBuffer(
            "217[\"room:heartbeat\",{\"roomId\":\"room-17\",\"userId\":\"user-4711\"}]".getBytes(StandardCharsets.UTF_8));
    private final PacketEncoder encoder = new PacketEncoder(PooledByteBufAllocator.DEFAULT);

    @Benchmark
    public Object decodeHeartbeat() {
        return PacketDecoder.decode(heartbeat);
    }

    @Benchmark
    public int encodeAnswer() {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ok", true);
        answer.put("roomId", "room-17");
        answer.put("expiresAt", 1_700_000_021_600_000L);
        answer.put("serverTime", 1_700_000_000_000L);
        return released(encoder.ack("/", 17, new Object[] {answer}));
    }

    static int released(List<ByteBuf> frames) {
        int bytes = frames.get(0).readableBytes();
        frames.forEach(ByteBuf::release);
        return bytes;
    }
}
