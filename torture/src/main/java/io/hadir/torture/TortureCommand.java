package io.hadir.torture;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Breaks a Hadir of its own from a seed, and proves that it holds. */
@Command(
        name = "hadir torture",
        description = "Starts a Redis and servers of its own, lets people come and go, breaks everything that can be"
                + " broken, and watches from outside whether a ghost stays or somebody is put out wrongly. Touches"
                + " nothing else.")
public final class TortureCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NO = 1;
    private static final int USAGE = 2;

    private static final int LEAST_SECONDS = 40;
    private static final String MINUTES = "2";
    private static final String NODES = "3";
    private static final String CLIENTS = "300";

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = MINUTES,
            description = "How long. Default: " + MINUTES + ".")
    double minutes;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = NODES,
            description = "How many servers. Default: " + NODES + ".")
    int nodes;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = CLIENTS,
            description = "How many people. Default: " + CLIENTS + ".")
    int clients;

    @Option(names = "--seed", paramLabel = "N", description = "What everything follows from. Default: a random one.")
    @Nullable
    Long seed;

    @Option(names = "--calm", description = "Breaks nothing: people come and go, and times are taken.")
    boolean calm;

    @Option(
            names = "--only",
            paramLabel = "FAULT",
            split = ",",
            description = "Breaks only these, by their names, such as redis-old-file or message-lost.")
    Set<String> only = Set.of();

    @Option(names = "--plan", description = "Prints what would be broken when, and ends.")
    boolean plan;

    @Option(names = "--json", description = "Prints the certificate as JSON, for scripts.")
    boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    private final PrintStream out;
    private final PrintStream err;

    private TortureCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        System.exit(run(out, err, arguments));
    }

    /** Runs the command, and returns what to exit with. */
    static int run(PrintStream out, PrintStream err, String... arguments) {
        return new CommandLine(new TortureCommand(out, err))
                .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler((problem, given) -> {
                    err.println("hadir: "
                            + String.valueOf(problem.getMessage())
                                    .lines()
                                    .findFirst()
                                    .orElse("")
                            + " (see: hadir torture --help)");
                    return USAGE;
                })
                .execute(arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Duration length = Duration.ofSeconds(Math.round(minutes * 60));
        String wrong = length.toSeconds() < LEAST_SECONDS || length.toDays() > 1
                ? "--minutes=" + minutes + " (expected: from 0.7 to 1440)"
                : nodes < 1 || nodes > 9
                        ? "--nodes=" + nodes + " (expected: from 1 to 9)"
                        : clients < 1 || clients > 5_000 ? "--clients=" + clients + " (expected: from 1 to 5000)" : "";
        if (!Options.faults().containsAll(only)) {
            wrong = "--only=" + String.join(",", only) + " (expected: some of " + String.join(", ", Options.faults())
                    + ")";
        }
        if (!wrong.isEmpty()) {
            err.println("hadir: " + wrong);
            return USAGE;
        }
        long given = seed != null ? seed : new SecureRandom().nextInt(1_000_000_000);
        Options options = new Options(length, nodes, clients, given, calm, only);
        if (plan) {
            Torture.plan(options).forEach(out::println);
            return OK;
        }
        return run(options);
    }

    private int run(Options options) throws IOException, InterruptedException {
        err.println(options.command());
        try (Torture torture = new Torture(options, line -> err.println(line))) {
            Certificate certificate = torture.run();
            if (json) {
                out.println(certificate.json());
            } else {
                certificate.lines().forEach(out::println);
            }
            if (certificate.isClean()) {
                torture.forget();
                return OK;
            }
            certificate.stories().forEach(err::println);
            err.println("The logs of the servers are in " + torture.logs());
            return NO;
        }
    }
}
