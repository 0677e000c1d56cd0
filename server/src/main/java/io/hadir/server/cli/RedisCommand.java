package io.hadir.server.cli;

import io.hadir.embedded.EmbeddedCluster;
import io.hadir.embedded.EmbeddedRedis;
import io.hadir.embedded.EmbeddedSentinels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "redis",
        description =
                "Starts an empty Redis for trying out, in memory and on this machine only, and prints how to use it."
                        + " Ctrl-C stops it.")
final class RedisCommand implements Callable<Integer> {
    private final Terminal terminal;

    @ArgGroup
    Engine engine = new Engine();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    /** At most one of these. */
    static final class Engine {
        @Option(names = "--cluster", description = "A Redis Cluster: three masters with a replica each.")
        boolean cluster;

        @Option(names = "--sentinel", description = "A Redis with two replicas and three sentinels.")
        boolean sentinel;
    }

    RedisCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** A running Redis, and the lines to print about it. */
    private record Running(AutoCloseable engine, List<String> words) {}

    @Override
    public Integer call() throws Exception {
        Running running;
        try {
            running = engine.cluster ? cluster() : engine.sentinel ? sentinels() : single();
        } catch (IOException failed) {
            terminal.complain(String.valueOf(failed.getMessage()));
            return ExitCode.UNAVAILABLE;
        }
        try (AutoCloseable open = running.engine) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(open), "hadir-redis-stop"));
            running.words.forEach(terminal::say);
            new CountDownLatch(1).await();
        }
        return ExitCode.OK;
    }

    /** Exits with 0, because Ctrl-C is the normal end. */
    private static void close(AutoCloseable engine) {
        try {
            engine.close();
        } catch (Exception failed) {
            Runtime.getRuntime().halt(ExitCode.UNAVAILABLE);
        }
        Runtime.getRuntime().halt(ExitCode.OK);
    }

    private static Running single() throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        List<String> words = words("A Redis is up", redis.url(), "redis-cli -u " + redis.url());
        words.add(row("Process", List.of(redis)));
        return ended(redis, words);
    }

    private static Running cluster() throws IOException {
        EmbeddedCluster cluster = EmbeddedCluster.start();
        String inside = "redis-cli -c -u " + cluster.masters().get(0).url();
        List<String> words = words("A Redis Cluster is up", cluster.url(), inside);
        words.add(row("Masters", cluster.masters()));
        words.add(row("Replicas", cluster.replicas()));
        return ended(cluster, words);
    }

    private static Running sentinels() throws IOException {
        EmbeddedSentinels all = EmbeddedSentinels.start();
        String inside = "redis-cli -u " + all.primary().url();
        List<String> words = words("A Redis with sentinels is up", all.url(), inside);
        words.add(row("Primary", List.of(all.primary())));
        words.add(row("Replicas", all.replicas()));
        words.add(row("Sentinels", all.sentinels()));
        return ended(all, words);
    }

    private static List<String> words(String title, String url, String inside) {
        return new ArrayList<>(List.of(
                "",
                "  " + title + ": for trying out, empty and in memory, on this machine only.",
                "",
                row("Use it", "./hadir --redis-url='" + url + "'"),
                row("Look inside", inside)));
    }

    private static Running ended(AutoCloseable engine, List<String> words) {
        words.add(row("Stop", "Ctrl-C"));
        words.add("");
        return new Running(engine, words);
    }

    private static String row(String name, List<EmbeddedRedis> redises) throws IOException {
        List<String> shown = new ArrayList<>();
        for (EmbeddedRedis redis : redises) {
            shown.add(redis.address() + " (pid " + redis.process().pid() + ")");
        }
        return row(name, String.join(", ", shown));
    }

    private static String row(String name, String value) {
        return String.format("  %-11s  %s", name, value);
    }
}
