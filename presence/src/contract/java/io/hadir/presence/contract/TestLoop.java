package io.hadir.presence.contract;

import io.hadir.presence.room.Loop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/** A loop that the test drives: tasks run in {@link #run}, and time moves only in {@link #advance}. */
public final class TestLoop implements Loop, InstantSource {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Delayed> timers =
            new PriorityQueue<>(Comparator.comparing(Delayed::due).thenComparing(Delayed::number));
    private Duration passed = Duration.ZERO;
    private long scheduled;

    /** Timers that are due at the same time run in the order of their numbers. */
    private record Delayed(Duration due, long number, Runnable task) {}

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        Delayed timer = new Delayed(passed.plus(delay), scheduled++, task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    @Override
    public long nanos() {
        return passed.toNanos();
    }

    @Override
    public Instant instant() {
        return START.plus(passed);
    }

    /** Runs all tasks, and those that they add, in order. */
    public void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Lets time pass, and runs each timer and each task when it is due. */
    public void advance(Duration time) {
        Duration end = passed.plus(time);
        run();
        for (Delayed next = timers.peek(); next != null && next.due.compareTo(end) <= 0; next = timers.peek()) {
            timers.remove();
            passed = next.due.compareTo(passed) > 0 ? next.due : passed;
            next.task.run();
            run();
        }
        passed = end.compareTo(passed) > 0 ? end : passed;
    }

    /** Lets time pass during the task that calls this, so that everything else is late. */
    public void stall(Duration time) {
        passed = passed.plus(time);
    }
}
