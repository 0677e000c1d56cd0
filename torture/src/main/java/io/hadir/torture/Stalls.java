package io.hadir.torture;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * When the machine was too busy to run this process, the servers, or Redis. A late observation at such a time proves
 * nothing. Confined to the event loop that it measures.
 */
final class Stalls {
    private static final Duration INTERVAL = Duration.ofMillis(20);
    /** Shorter delays are normal for a timer. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(30);

    private static final long KEPT = TimeUnit.MINUTES.toNanos(2);

    private final Deque<Stall> stalls = new ArrayDeque<>();
    private final Stopwatch watch;
    private long expected;
    private long longest;
    private long total;
    private long cpuWait;

    private record Stall(long end, long length) {}

    Stalls(Stopwatch watch) {
        this.watch = watch;
    }

    void start(EventLoop loop) {
        expected = watch.now() + INTERVAL.toNanos();
        loop.scheduleAtFixedRate(this::tick, INTERVAL.toNanos(), INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void tick() {
        long now = watch.now();
        long late = now - expected;
        expected = Math.max(expected, now - INTERVAL.toNanos()) + INTERVAL.toNanos();
        if (late > SHORTEST) {
            longest = Math.max(longest, late);
            total += late;
            add(now, late);
        }
    }

    /** The servers and Redis waited for a processor for this long, until now. */
    void addCpuWait(long time) {
        if (time > SHORTEST) {
            cpuWait += time;
            add(watch.now(), time);
        }
    }

    private void add(long end, long length) {
        stalls.addLast(new Stall(end, length));
        while (stalls.getFirst().end < end - KEPT) {
            stalls.removeFirst();
        }
    }

    /** How much time was lost between two times. */
    long between(long from, long to) {
        long sum = 0;
        for (Stall stall : stalls) {
            sum += Math.max(0, Math.min(stall.end, to) - Math.max(stall.end - stall.length, from));
        }
        return sum;
    }

    /** Postpones a deadline by the time lost before it, but not by time lost after it. */
    long postpone(long from, long deadline) {
        long postponed = deadline;
        for (long next = deadline + between(from, postponed);
                next != postponed;
                next = deadline + between(from, postponed)) {
            postponed = next;
        }
        return postponed;
    }

    /** The longest stall of this process. */
    long longest() {
        return longest;
    }

    /** All stalls of this process. */
    long total() {
        return total;
    }

    /** How long the servers and Redis waited for a processor. */
    long cpuWait() {
        return cpuWait;
    }

    /** How long threads of other processes waited for a processor, as Linux counts it; 0 on other systems. */
    static final class CpuWaits {
        /** Threads of the JVM that compile or collect garbage: nobody waits for them. */
        private static final List<String> IGNORED =
                List.of("C1 ", "C2 ", "VM ", "Common-", "Signal ", "Finalizer", "Notif");

        private final Map<Path, Long> before = new HashMap<>();

        /** The longest wait of any thread of these processes since the last call. */
        long next(List<Long> processes) {
            Map<Path, Long> now = new HashMap<>();
            long longest = 0;
            for (long pid : processes) {
                longest = Math.max(longest, longest(Path.of("/proc", Long.toString(pid), "task"), now));
            }
            before.clear();
            before.putAll(now);
            return longest;
        }

        private long longest(Path tasks, Map<Path, Long> now) {
            long longest = 0;
            try (Stream<Path> threads = Files.list(tasks)) {
                for (Path thread : threads.toList()) {
                    long waited = waited(thread);
                    now.put(thread, waited);
                    longest = Math.max(longest, waited - before.getOrDefault(thread, waited));
                }
            } catch (IOException | RuntimeException gone) {
                return longest;
            }
            return longest;
        }

        private static long waited(Path thread) throws IOException {
            String name = Files.readString(thread.resolve("comm"));
            if (IGNORED.stream().anyMatch(name::startsWith)) {
                return 0;
            }
            // The fields are: time on a processor, time waiting for one, number of runs.
            StringTokenizer fields = new StringTokenizer(Files.readString(thread.resolve("schedstat")));
            fields.nextToken();
            return Long.parseLong(fields.nextToken());
        }
    }
}
