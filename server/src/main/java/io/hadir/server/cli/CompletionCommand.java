package io.hadir.server.cli;

import io.hadir.server.config.Flags;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

@Command(
        name = "completion",
        description =
                "Prints a script that completes commands and flags in Bash and Zsh. Use it so: source <(hadir completion)")
final class CompletionCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Supplier<CommandLine> commands;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    /** @param commands all of them */
    CompletionCommand(Terminal terminal, Supplier<CommandLine> commands) {
        this.terminal = terminal;
        this.commands = commands;
    }

    @Override
    public Integer call() {
        CommandLine all = commands.get();
        CommandSpec root = all.getCommandSpec();
        Flags.names()
                .forEach(name -> root.addOption(
                        OptionSpec.builder(name).type(String.class).arity("1").build()));
        terminal.out().print(AutoComplete.bash("hadir", all));
        return ExitCode.OK;
    }
}
