package io.hadir.server.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that calls the HTTP API of one server. */
abstract class ApiCommand implements Callable<Integer> {
    private static final String DEFAULT_URL = "http://127.0.0.1:8080";

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The server. Default: HADIR_URL, or " + DEFAULT_URL + ".")
    @Nullable
    String url;

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            description =
                    "Its API key, if it has one. Prefer HADIR_API_KEY: other users of this machine can see flags.")
    @Nullable
    String apiKey;

    @Option(names = "--json", description = "Prints JSON, for scripts.")
    boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    final Terminal terminal;

    ApiCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Calls the API, prints the answer, and returns the exit code. */
    abstract int run(HadirApi api) throws CallFailedException;

    @Override
    public Integer call() {
        try {
            return run(HadirApi.at(flagOr(url, "HADIR_URL", DEFAULT_URL), key()));
        } catch (CallFailedException failed) {
            terminal.complain(failed.line());
            return failed.exitCode();
        }
    }

    private @Nullable String key() {
        String key = flagOr(apiKey, "HADIR_API_KEY", "");
        return key.isEmpty() ? null : key;
    }

    private String flagOr(@Nullable String flag, String variable, String otherwise) {
        return flag != null ? flag : terminal.environment().getOrDefault(variable, otherwise);
    }
}
