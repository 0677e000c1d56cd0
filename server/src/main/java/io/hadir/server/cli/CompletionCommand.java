package io.hadir.server.cli;

import io.hadir.server.config.Flags;
import java.util.List;
import java.util.Objects;
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
                "Prints a script that completes commands and flags in Bash and Zsh. To use it: source <(hadir completion)")
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
        all.addSubcommand("serve", CommandSpec.create()).addSubcommand("torture", CommandSpec.create());
        List.of(all, subcommand(all, "serve"), subcommand(all, "doctor"))
                .forEach(command -> addServerFlags(command.getCommandSpec()));
        terminal.out().print(AutoComplete.bash("hadir", all));
        return ExitCode.OK;
    }

    private static CommandLine subcommand(CommandLine all, String name) {
        return Objects.requireNonNull(all.getSubcommands().get(name));
    }

    private static void addServerFlags(CommandSpec command) {
        Flags.names().stream()
                .filter(name -> command.findOption(name) == null)
                .forEach(name -> command.addOption(
                        OptionSpec.builder(name).type(String.class).arity("1").build()));
    }
}
