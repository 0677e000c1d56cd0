package io.hadir.server.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The process and its JVM, under the names that Prometheus' own clients use. */
final class JvmMeters {
    private JvmMeters() {}

    static void add(Metrics metrics, MeterRegistry registry) {
        memory(metrics);
        collectors(registry);
        process(metrics);
    }

    private static void memory(Metrics metrics) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        area(metrics, "heap", memory::getHeapMemoryUsage);
        area(metrics, "nonheap", memory::getNonHeapMemoryUsage);
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals("direct")) {
                metrics.gauge(
                        "jvm.buffer.pool.used.bytes",
                        "Memory in direct buffers",
                        pool::getMemoryUsed,
                        "pool",
                        "direct");
            }
        }
    }

    private static void area(Metrics metrics, String name, Supplier<MemoryUsage> usage) {
        metrics.gauge(
                "jvm.memory.used.bytes", "Memory in use", () -> usage.get().getUsed(), "area", name);
        metrics.gauge(
                "jvm.memory.committed.bytes", "Memory taken", () -> usage.get().getCommitted(), "area", name);
        metrics.gauge(
                "jvm.memory.max.bytes",
                "Memory that may be taken, -1 if there is no limit",
                () -> usage.get().getMax(),
                "area",
                name);
    }

    private static void collectors(MeterRegistry registry) {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            FunctionTimer.builder(
                            "jvm.gc.collection",
                            collector,
                            GarbageCollectorMXBean::getCollectionCount,
                            GarbageCollectorMXBean::getCollectionTime,
                            TimeUnit.MILLISECONDS)
                    .description("Time spent in garbage collections")
                    .tag("gc", collector.getName().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
    }

    private static void process(Metrics metrics) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        metrics.gauge("jvm.threads.current", "Threads", threads::getThreadCount);
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        metrics.gauge("process.start.time.seconds", "When the process started", () -> runtime.getStartTime() / 1e3);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            metrics.counter(
                    "process.cpu.seconds", "Processor time of the process", () -> system.getProcessCpuTime() / 1e9);
            metrics.gauge("process.open.fds", "Open file descriptors", system::getOpenFileDescriptorCount);
            metrics.gauge("process.max.fds", "File descriptors that may be open", system::getMaxFileDescriptorCount);
        }
    }
}
