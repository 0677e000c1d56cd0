package io.hadir.server.cli;

import io.hadir.server.auth.TestToken;
import io.hadir.server.config.Config;
import io.hadir.server.config.ConfigException;
import io.hadir.server.config.ConfigLoader;
import io.hadir.server.config.Flags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a token as the app's backend would, following the server's settings. */
@Command(
        name = "token",
        description =
                "Prints a test token, signed with the server's --jwt-secret, which comes from a flag, HADIR_JWT_SECRET or"
                        + " the file. The claims follow the server's settings.")
final class TokenCommand implements Callable<Integer> {
    private static final int LONGEST_MINUTES = 60 * 24 * 365;

    private final Terminal terminal;

    @Option(names = "--user", paramLabel = "USER", required = true, description = "The user's id.")
    String user = "";

    @Option(names = "--name", paramLabel = "NAME", description = "The user's name.")
    @Nullable
    String name;

    @Option(
            names = "--rooms",
            paramLabel = "ROOM,ROOM",
            split = ",",
            description = "The only rooms the user may join. Default: all.")
    @Nullable
    List<String> rooms;

    @Option(names = "--minutes", paramLabel = "N", description = "How long it is valid. Default: 15.")
    int minutes = 15;

    @Option(
            names = "--jwt-secret",
            paramLabel = "SECRET",
            description = "The server's. Prefer HADIR_JWT_SECRET: other users of this machine can see flags.")
    @Nullable
    String secret;

    @Option(names = "--config", paramLabel = "FILE", description = "The server's file.")
    @Nullable
    String file;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    TokenCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (minutes < 1 || minutes > LONGEST_MINUTES) {
            terminal.complain("--minutes: " + minutes + " (expected: from 1 to " + LONGEST_MINUTES + ")");
            return ExitCode.USAGE;
        }
        TestToken token = new TestToken(user, name, rooms, Duration.ofMinutes(minutes));
        Optional<String> refusal = token.refusal();
        if (refusal.isPresent()) {
            terminal.complain(Text.visible(refusal.get()));
            return ExitCode.USAGE;
        }
        List<String> flags = new ArrayList<>();
        if (secret != null) {
            flags.add("--jwt-secret=" + secret);
        }
        if (file != null) {
            flags.add("--config=" + file);
        }
        try {
            Config.Auth auth = ConfigLoader.load(Flags.parse(flags), terminal.environment())
                    .config()
                    .auth();
            if (auth.secret() == null) {
                terminal.complain(
                        "no --jwt-secret (expected: the server's; with a public key, only the owner of the private key can sign)");
                return ExitCode.USAGE;
            }
            terminal.say(token.signed(auth, terminal.clock()));
            return ExitCode.OK;
        } catch (ConfigException wrong) {
            wrong.problems().forEach(terminal::complain);
            return ExitCode.USAGE;
        }
    }
}
