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

/** {@code hadir torture}: breaks a cluster of its own and checks from outside that it keeps its promises. */
@Command(
        name = "hadir torture",
        description = "Starts a Redis and servers of its own, lets users come and go, breaks everything that can break,"
                + " and checks from outside that no ghost stays and nobody is removed wrongly. Touches nothing else.")
public final class TortureCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int FOUND = 1;
    private static final int USAGE = 2;

    private static final int SHORTEST_SECONDS = 40;
    private static final String MINUTES = "2";
    private static final String NODES = "3";
    private static final String CLIENTS = "300";

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = MINUTES,
            description = "Length of the run. Default: " + MINUTES + ".")
    double minutes;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = NODES,
            description = "Number of servers. Default: " + NODES + ".")
    int nodes;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = CLIENTS,
            description = "Number of users. Default: " + CLIENTS + ".")
    int clients;

    @Option(names = "--seed", paramLabel = "N", description = "The plan follows from it. Default: random.")
    @Nullable
    Long seed;

    @Option(names = "--calm", description = "Breaks nothing: users come and go, and times are measured.")
    boolean calm;

    @Option(
            names = "--only",
            paramLabel = "FAULT",
            split = ",",
            description = "Injects only these faults, such as redis-old-file or message-lost.")
    Set<String> only = Set.of();

    @Option(
            names = "--attach",
            description =
                    "Puts an app with a Socket.IO server of its own before each server: users are connected to the apps,"
                            + " and the apps by trunks to the servers.")
    boolean attach;

    @Option(names = "--plan", description = "Prints the planned faults and exits.")
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

    /** Runs the command and returns its exit code. */
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
        String mistake = mistake(length);
        if (!mistake.isEmpty()) {
            err.println("hadir: " + mistake);
            return USAGE;
        }
        long given = seed != null ? seed : new SecureRandom().nextInt(1_000_000_000);
        Options options = new Options(length, nodes, clients, given, calm, only, attach);
        if (plan) {
            Torture.plan(options).forEach(out::println);
            return OK;
        }
        return run(options);
    }

    /** What is wrong with the options; empty if nothing is. */
    private String mistake(Duration length) {
        if (!Options.faults().containsAll(only)) {
            return "--only=" + String.join(",", only) + " (expected: some of " + String.join(", ", Options.faults())
                    + ")";
        }
        if (length.toSeconds() < SHORTEST_SECONDS || length.toDays() > 1) {
            return "--minutes=" + minutes + " (expected: from 0.7 to 1440)";
        }
        if (attach && !AttachedApp.isInstalled()) {
            return "--attach needs Node.js and the package in node/ (expected: npm ci && npm run build there)";
        }
        if (nodes < 1 || nodes > 9) {
            return "--nodes=" + nodes + " (expected: from 1 to 9)";
        }
        return clients < 1 || clients > 5_000 ? "--clients=" + clients + " (expected: from 1 to 5000)" : "";
    }

    private int run(Options options) throws IOException, InterruptedException {
        err.println(options.command());
        try (Torture torture = new Torture(options, err::println)) {
            Certificate certificate = torture.run();
            if (json) {
                out.println(certificate.json());
            } else {
                certificate.lines().forEach(out::println);
            }
            if (certificate.isClean()) {
                torture.deleteLogs();
                return OK;
            }
            certificate.histories().forEach(err::println);
            err.println("The server logs are in " + torture.logs());
            return FOUND;
        }
    }
}
