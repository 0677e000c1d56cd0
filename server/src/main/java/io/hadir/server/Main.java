package io.hadir.server;

import io.hadir.server.cli.Cli;
import io.hadir.server.config.Config;
import io.hadir.server.config.ConfigException;
import io.hadir.server.config.ConfigLoader;
import io.hadir.server.config.Flags;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Entry point: starts a server, or runs a command against one. */
public final class Main {
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private Main() {}

    public static void main(String[] arguments) {
        List<String> given = List.of(arguments);
        if (Cli.isFor(given)) {
            PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
            PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
            // A command says in its own words what is wrong.
            System.setProperty(Logging.LEVEL, "off");
            System.exit(Cli.run(given, System.getenv(), out, err));
        }
        Console.install();
        run(given, System.getenv(), System.out, System.err).ifPresent(code -> {
            Console.drain();
            System.exit(code);
        });
    }

    /** Starts the server; returns an exit code if the process should end. */
    static OptionalInt run(List<String> arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
        Flags flags = Flags.parse(arguments);
        if (flags.help()) {
            out.print(Flags.helpText(Cli.overview()));
            return OptionalInt.of(OK);
        }
        if (flags.version()) {
            out.println("hadir " + version());
            return OptionalInt.of(OK);
        }
        Config config;
        try {
            ConfigLoader.Loaded loaded = ConfigLoader.load(flags, environment);
            loaded.warnings().forEach(warning -> err.println("hadir: warning: " + warning));
            config = loaded.config();
            // Must come before the first logger, which sets up logging.
            System.setProperty(Logging.FORMAT, config.log().format());
            System.setProperty(Logging.LEVEL, config.log().level());
        } catch (ConfigException e) {
            e.problems().forEach(problem -> err.println("hadir: " + problem));
            return OptionalInt.of(USAGE);
        }
        return serve(config, new Reload(flags, environment), out, err);
    }

    private static OptionalInt serve(Config config, Reload reload, PrintStream out, PrintStream err) {
        try {
            Hadir hadir = Hadir.start(config, version(), foreign -> {
                err.println("hadir: " + foreign);
                Console.drain();
                Runtime.getRuntime().halt(FAILED);
            });
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(hadir), "hadir-stop"));
            reload.onSignal(hadir);
            out.print(Banner.text(
                    hadir.address(),
                    hadir.adminAddress(),
                    config.server(),
                    hadir.redis(),
                    config.auth(),
                    config.trunk().key() != null,
                    version()));
            out.flush();
            return OptionalInt.empty();
        } catch (Exception e) {
            err.println("hadir: " + StartFailure.line(config, e));
            return OptionalInt.of(FAILED);
        }
    }

    /** Exits with 0: without this, the JVM would exit with the signal's number. */
    private static void stop(Hadir hadir) {
        hadir.close();
        Console.drain();
        Runtime.getRuntime().halt(OK);
    }

    /** The version in the jar's manifest. */
    static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
