package io.hadir.server.events;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.UserId;
import io.hadir.socketio.Json;
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

/** Encodes {@code room:presence}, which all sockets of a room share. */
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

    private RoomNews news;

    @Setup
    public void gather() {
        Instant now = Instant.ofEpochMilli(1_700_000_000_000L);
        List<Participant> came = IntStream.range(0, joined)
                .mapToObj(i -> new Participant(new UserId("user-" + i), "Ada Lovelace", now, now))
                .toList();
        List<RoomChange.Left> went = IntStream.range(0, joined / 2)
                .mapToObj(i -> new RoomChange.Left(i, new UserId("gone-" + i), RemovalReason.LEFT, null))
                .toList();
        news = new RoomNews(new RoomId("room-17"), 1_000, 1_000 + joined, came, went, List.of(), joined, false);
    }

    @Benchmark
    public byte[] encode() {
        return Json.MAPPER.writeValueAsBytes(PresenceMessages.RoomPresence.of(news));
    }
}
