package io.hadir.redis.store;

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

/** The details of one user, as a list reads them from Redis a hundred times. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class DetailsBenchmark {
    private final String text = "{\"sockets\":{\"w68j9xyztw.k3jd82mqpz\":1},\"socketId\":\"w68j9xyztw.k3jd82mqpz\","
            + "\"userId\":\"user-4711\",\"roomId\":\"room-17\",\"username\":\"Ada Lovelace\","
            + "\"joinedAt\":1700000000000,\"lastActiveAt\":1700000000000}";

    @Benchmark
    public Object parse() {
        return Details.parse(text);
    }
}
