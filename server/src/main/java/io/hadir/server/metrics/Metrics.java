package io.hadir.server.metrics;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.sweep.SweepReport;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * The meters of one server, and their text for Prometheus.
 *
 * <p>What happens to presences is said to {@link #observer}. Everything else counts for itself and is asked when
 * somebody looks. Counting costs no memory.
 */
public final class Metrics {
    /** The format that every Prometheus reads. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final Duration[] REDIS_BUCKETS = millis(1, 5, 25, 100, 500);
    private static final Duration[] SWEEP_BUCKETS = millis(10, 100, 1_000, 10_000, 60_000);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ConcurrentHashMap<String, Timer> redisCommands = new ConcurrentHashMap<>();
    /** The registry itself holds what it counts by weakly. */
    private final List<DoubleSupplier> counted = new CopyOnWriteArrayList<>();

    private final List<Runnable> beforeScrape = new CopyOnWriteArrayList<>();
    private final Timer sweeps;
    private final PresenceMeters observer;
    private volatile long lastFinishedSweep;

    /**
     * Meters at zero.
     *
     * @param grace how long users stay after their last connection ended
     * @param lease how long a renewal of the lease holds
     */
    public Metrics(String version, Duration grace, Duration lease) {
        observer = new PresenceMeters(this, grace, lease);
        sweeps = timer("hadir.sweep", "How long sweeps took", SWEEP_BUCKETS);
        gauge(
                "hadir.sweep.last.finished.timestamp.seconds",
                "When the last sweep began that went through to its end, 0 if none has",
                () -> lastFinishedSweep / 1e3);
        Gauge.builder("hadir.build.info", () -> 1)
                .description("The version that runs")
                .tag("version", version)
                .strongReference(true)
                .register(registry);
        JvmMeters.add(this, registry);
    }

    /** Counts what happens at the ports of presence. */
    public PresenceObserver observer() {
        return observer;
    }

    /** A sweep has ended, well or badly. */
    public void swept(SweepReport report) {
        sweeps.record(report.took());
        if (report.finished()) {
            lastFinishedSweep = report.startedAt().toEpochMilli();
        }
    }

    /**
     * Redis has answered.
     *
     * @param command the name of a Redis command
     */
    public void redisAnswered(String command, long nanos) {
        Timer timer = redisCommands.get(command);
        if (timer == null) {
            timer = redisCommands.computeIfAbsent(
                    command,
                    name -> timer(
                            "hadir.redis.command",
                            "How long Redis took to answer",
                            REDIS_BUCKETS,
                            "command",
                            name.toLowerCase(Locale.ROOT)));
        }
        timer.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** How many users came into a room since the start. */
    public long arrivals() {
        return observer.arrivals();
    }

    /** How many commands Redis has answered since the start. */
    public long redisCommands() {
        return redisCommands.values().stream().mapToLong(Timer::count).sum();
    }

    /** How long it took for all of them. */
    public Duration redisTime() {
        double nanos = redisCommands.values().stream()
                .mapToDouble(timer -> timer.totalTime(TimeUnit.NANOSECONDS))
                .sum();
        return Duration.ofNanos((long) nanos);
    }

    /** A number that is asked for when somebody looks. From any thread; may not block. */
    public void gauge(String name, String about, DoubleSupplier value, String... labels) {
        Gauge.builder(name, value::getAsDouble)
                .description(about)
                .tags(labels)
                .strongReference(true)
                .register(registry);
    }

    /** As {@link #gauge}, for a number that only rises. */
    public void counter(String name, String about, DoubleSupplier value, String... labels) {
        FunctionCounter.builder(name, value, DoubleSupplier::getAsDouble)
                .description(about)
                .tags(labels)
                .register(registry);
        counted.add(value);
    }

    /** A counter of its own. */
    Counter counter(String name, String about, String... labels) {
        return Counter.builder(name).description(about).tags(labels).register(registry);
    }

    Timer timer(String name, String about, Duration[] buckets, String... labels) {
        return Timer.builder(name)
                .description(about)
                .tags(labels)
                .serviceLevelObjectives(buckets)
                .register(registry);
    }

    private static Duration[] millis(long... values) {
        return Arrays.stream(values).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
    }

    /** Something that has to be done before the meters are read, such as a count that several of them share. */
    public void beforeScrape(Runnable action) {
        beforeScrape.add(action);
    }

    /** Every meter as Prometheus reads it. Takes a moment, and may wait: not on an event loop. */
    public String scrape() {
        beforeScrape.forEach(Runnable::run);
        return registry.scrape();
    }
}
