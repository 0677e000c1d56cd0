package io.hadir.socketio;

import io.hadir.presence.LeaveReason;
import io.hadir.presence.Participant;
import io.hadir.presence.RoomChange;
import io.hadir.presence.RoomId;
import io.hadir.presence.RoomNews;
import io.hadir.presence.UserId;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a room is told, {@code room:presence}, from the change to the frame that all its sockets share. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class NewsBenchmark {
    /** How many joined; half as many left. */
    @Param({"1", "100", "1000"})
    public int joined;

    private final PacketEncoder encoder = new PacketEncoder(PooledByteBufAllocator.DEFAULT);
    private RoomNews news;

    @Setup
    public void gather() {
        Instant now = Instant.ofEpochMilli(1_700_000_000_000L);
        List<Participant> came = IntStream.range(0, joined)
                .mapToObj(i -> new Participant(new UserId("user-" + i), "Ada Lovelace", now, now))
                .toList();
        List<RoomChange.Left> went = IntStream.range(0, joined / 2)
                .mapToObj(i -> new RoomChange.Left(i, new UserId("gone-" + i), LeaveReason.LEFT, null))
                .toList();
        news = new RoomNews(new RoomId("room-17"), 1_000, 1_000 + joined, came, went, joined, false);
    }

    @Benchmark
    public int encodeBroadcast() {
        Object[] arguments = {PresenceMessages.news(news)};
        return PacketBenchmark.released(encoder.event("/", Packet.NO_ID, "room:presence", arguments));
    }
}
