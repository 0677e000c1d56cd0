package io.hadir.server.cli;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Parses and runs every command other than {@code serve}. */
public final class Cli {
    @Command(
            name = "hadir",
            synopsisSubcommandLabel = "COMMAND",
            description = "%nInspects and manages rooms over the HTTP API of a running server.%n",
            footer =
                    "%nWithout a command hadir starts the server; see hadir --help. In a checkout, ./hadir torture breaks"
                            + " servers of its own and judges them; see ./hadir torture --help." + ExitCode.HELP)
    private static final class Root {}

    private static final String TORTURE = "torture";

    /** Every command, by what it is for. */
    private static final Map<String, List<String>> GROUPS = new TreeMap<>(Map.of(
            "1 Look", List.of("rooms", "who", "user", "explain", "watch", "stats"),
            "2 Remove users", List.of("kick", "bans", "unban", "disconnect"),
            "3 Check", List.of("audit", "doctor", "token"),
            "4 Try out", List.of("redis", TORTURE),
            "5 Help", List.of("completion", "help")));

    /** Picocli cannot lay out help in fewer columns. */
    private static final int NARROWEST_HELP = 60;

    private Cli() {}

    /** Whether these arguments name a command, known or not, other than {@code serve}. */
    public static boolean isFor(List<String> arguments) {
        return !arguments.isEmpty()
                && !arguments.get(0).startsWith("-")
                && !arguments.get(0).equals("serve");
    }

    /** Runs a command and returns its exit code. */
    public static int run(List<String> arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
        Terminal terminal = new Terminal(out, err, environment, Ansi.AUTO, Clock.system(ZoneId.systemDefault()));
        return run(arguments, terminal);
    }

    /** The list of all commands, in groups. */
    public static String overview() {
        Terminal nobody = new Terminal(System.out, System.err, Map.of(), Ansi.OFF, Clock.systemUTC());
        return overview(commands(nobody));
    }

    private static String overview(CommandLine commands) {
        StringBuilder text = new StringBuilder();
        GROUPS.forEach((group, names) -> {
            text.append(group.substring(2)).append(System.lineSeparator());
            names.forEach(name -> text.append(String.format("  %-12s  %s%n", name, about(commands, name))));
        });
        return text.toString();
    }

    /** The first sentence about a command. */
    private static String about(CommandLine commands, String name) {
        CommandLine command = commands.getSubcommands().get(name);
        if (command == null) {
            return "Breaks servers of its own and judges them.";
        }
        if (name.equals("help")) {
            return "Shows the help of a command.";
        }
        String[] description = command.getCommandSpec().usageMessage().description();
        return String.join(" ", description).split("(?<=[.]) ", 2)[0];
    }

    private static CommandLine commands(Terminal terminal) {
        return new CommandLine(new Root())
                .addSubcommand(new ListCommands.Rooms(terminal))
                .addSubcommand(new ListCommands.Who(terminal))
                .addSubcommand(new UserCommand(terminal))
                .addSubcommand(new ExplainCommand(terminal))
                .addSubcommand(new RemovalCommands.Kick(terminal))
                .addSubcommand(new ListCommands.Bans(terminal))
                .addSubcommand(new RemovalCommands.Unban(terminal))
                .addSubcommand(new RemovalCommands.Disconnect(terminal))
                .addSubcommand(new WatchCommand(terminal))
                .addSubcommand(new StatsCommand(terminal))
                .addSubcommand(new AuditCommand(terminal))
                .addSubcommand(new DoctorCommand(terminal))
                .addSubcommand(new TokenCommand(terminal))
                .addSubcommand(new RedisCommand(terminal))
                .addSubcommand(new CompletionCommand(terminal, () -> commands(terminal)))
                .addSubcommand(new CommandLine.HelpCommand());
    }

    static int run(List<String> arguments, Terminal terminal) {
        CommandLine commands = commands(terminal);
        commands.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> overview(commands));
        // Its arguments are the server's flags.
        Objects.requireNonNull(commands.getSubcommands().get("doctor")).setUnmatchedOptionsArePositionalParams(true);
        commands.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().usageMessage().footer(ExitCode.HELP));
        int code = commands.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8))
                .setExpandAtFiles(false)
                .setInterpolateVariables(false)
                .setUsageHelpWidth(Math.max(NARROWEST_HELP, Math.min(100, terminal.columns())))
                .setColorScheme(Help.defaultColorScheme(terminal.ansi()))
                .setParameterExceptionHandler((problem, given) -> {
                    terminal.complain(describe(problem));
                    return ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((bug, command, parsed) -> {
                    terminal.complain("something went wrong: " + Text.visible(bug.toString()));
                    return ExitCode.UNAVAILABLE;
                })
                .execute(arguments.toArray(String[]::new));
        if (terminal.out().checkError()) {
            terminal.complain("the answer could not be written");
            return ExitCode.UNWRITTEN;
        }
        return code;
    }

    private static String describe(ParameterException problem) {
        CommandLine command = problem.getCommandLine();
        String help =
                " (see: hadir " + (command.getParent() == null ? "help" : command.getCommandName() + " --help") + ")";
        if (problem instanceof UnmatchedArgumentException unmatched) {
            String first = Text.visible(unmatched.getUnmatched().get(0));
            boolean isCommand = command.getParent() == null;
            String hint = unmatched.getSuggestions().stream()
                    .findFirst()
                    .map(near -> " (did you mean " + near + "?)")
                    .orElse(help);
            return first + ": unknown " + (isCommand ? "command" : first.startsWith("-") ? "flag" : "argument") + hint;
        }
        if (problem instanceof MissingParameterException missing) {
            return missing.getMissing().get(0).paramLabel() + ": missing" + help;
        }
        return Text.visible(
                        String.valueOf(problem.getMessage()).lines().findFirst().orElse(""))
                + help;
    }
}
