package io.hadir.server.metrics;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.room.Seat;
import io.hadir.presence.sweep.SweepReport;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * The meters of one node, and their text for Prometheus. {@link #observer} counts what happens to presences; everything
 * else keeps its own count, which a scrape reads.
 */
public final class Metrics implements AutoCloseable {
    /** The text format that every Prometheus version reads. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final Duration[] REDIS_BUCKETS = millis(1, 5, 25, 100, 500);
    private static final Duration[] SWEEP_BUCKETS = millis(10, 100, 1_000, 10_000, 60_000);
    private static final Duration[] SCAN_BUCKETS = millis(100, 1_000, 10_000, 30_000, 60_000, 300_000, 1_800_000);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ConcurrentHashMap<String, Timer> redisCommands = new ConcurrentHashMap<>();
    /** Strong references, because the registry holds counters' sources weakly. */
    private final List<DoubleSupplier> counted = new CopyOnWriteArrayList<>();

    private final List<Runnable> beforeScrape = new CopyOnWriteArrayList<>();
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final Timer sweeps;
    private final Timer scans;
    private final PresenceMeters observer;
    private volatile long lastFinishedSweep;

    /**
     * Meters at zero.
     *
     * @param grace the grace period
     * @param lease how long a node's lease lives
     */
    public Metrics(String version, Duration grace, Duration lease) {
        bindJvm();
        observer = new PresenceMeters(this, grace, lease);
        sweeps = timer("hadir.sweep", "Duration of the checks of this server's own sockets", SWEEP_BUCKETS);
        scans = timer("hadir.scan", "Duration of this server's scans of all presences", SCAN_BUCKETS);
        gauge(
                "hadir.sweep.last.finished.timestamp.seconds",
                "Start of the last complete sweep, or 0",
                () -> lastFinishedSweep / 1e3);
        Gauge.builder("hadir.build.info", () -> 1)
                .description("The running version")
                .tag("version", version)
                .strongReference(true)
                .register(registry);
    }

    /** The process and its JVM under Micrometer's names, except two that break Prometheus' naming rules. */
    private void bindJvm() {
        registry.config()
                .meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"))
                .meterFilter(MeterFilter.denyNameStartsWith("system.cpu.count"));
        List.<MeterBinder>of(
                        new JvmMemoryMetrics(),
                        collections,
                        new JvmThreadMetrics(),
                        new ProcessorMetrics(),
                        new FileDescriptorMetrics(),
                        new UptimeMetrics())
                .forEach(binder -> binder.bindTo(registry));
    }

    /** Counts what happens to presences. */
    public PresenceObserver observer() {
        return observer;
    }

    /** Sets a second observer of users who are new to a room; called once, before the start. */
    public void onArrival(Consumer<Seat> listener) {
        observer.listen(listener);
    }

    /** A sweep ended, complete or not. */
    public void swept(SweepReport report) {
        Duration scan = report.scan();
        sweeps.record(scan == null ? report.took() : report.took().minus(scan));
        if (scan != null) {
            scans.record(scan);
        }
        if (report.finished()) {
            lastFinishedSweep = report.startedAt().toEpochMilli();
        }
    }

    /**
     * Redis answered.
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
                            "Time until Redis answered",
                            REDIS_BUCKETS,
                            "command",
                            name.toLowerCase(Locale.ROOT)));
        }
        timer.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** The number of users who joined a room that they were not in, since the start. */
    public long arrivals() {
        return observer.arrivals();
    }

    /** The number of commands that Redis answered since the start. */
    public long redisCommands() {
        return redisCommands.values().stream().mapToLong(Timer::count).sum();
    }

    /** The total time of these commands. */
    public Duration redisTime() {
        double nanos = redisCommands.values().stream()
                .mapToDouble(timer -> timer.totalTime(TimeUnit.NANOSECONDS))
                .sum();
        return Duration.ofNanos((long) nanos);
    }

    /** A number that each scrape reads, from any thread; the supplier must not block. */
    public void gauge(String name, String about, DoubleSupplier value, String... labels) {
        Gauge.builder(name, value::getAsDouble)
                .description(about)
                .tags(labels)
                .strongReference(true)
                .register(registry);
    }

    /** Like {@link #gauge}, for a number that only rises. */
    public void counter(String name, String about, DoubleSupplier value, String... labels) {
        FunctionCounter.builder(name, value, DoubleSupplier::getAsDouble)
                .description(about)
                .tags(labels)
                .register(registry);
        counted.add(value);
    }

    /** A counter that the caller increments. */
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

    /** Runs before each scrape, for example to take a count that several gauges share. */
    public void beforeScrape(Runnable action) {
        beforeScrape.add(action);
    }

    /** Every meter as text for Prometheus. May block: do not call it on an event loop. */
    public String scrape() {
        beforeScrape.forEach(Runnable::run);
        return registry.scrape();
    }

    /** Stops listening to garbage collections. */
    @Override
    public void close() {
        collections.close();
    }
}
