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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
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

    /** What picocli says about an unknown command after help. */
    private static final Pattern UNKNOWN = Pattern.compile("Unknown subcommand '(.*)'");

    /** Every command, by what it is for. */
    private static final Map<String, List<String>> GROUPS = new TreeMap<>(Map.of(
            "1 Look", List.of("rooms", "who", "user", "explain", "watch", "stats"),
            "2 Remove users", List.of("kick", "bans", "unban", "disconnect"),
            "3 Check", List.of("audit", "doctor", "token"),
            "4 Try out", List.of("redis", TORTURE),
            "5 Help", List.of("completion", "help")));

    /** Picocli needs at least this many columns for its help. */
    private static final int NARROWEST_HELP = 60;

    private static final int WIDEST_HELP = 100;

    /** The column in which a command's description begins in the overview. */
    private static final int ABOUT_COLUMN = 16;

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
        return overview(commands(nobody), WIDEST_HELP);
    }

    private static String overview(CommandLine commands, int columns) {
        StringBuilder text = new StringBuilder();
        GROUPS.forEach((group, names) -> {
            text.append(group.substring(2)).append(System.lineSeparator());
            names.forEach(name -> text.append(
                    String.format("  %-12s  %s%n", name, wrapped(about(commands, name), columns - ABOUT_COLUMN))));
        });
        return text.toString();
    }

    /** The text wrapped to the width; later lines are indented to the first one's column. */
    private static String wrapped(String text, int width) {
        StringBuilder lines = new StringBuilder();
        int used = 0;
        for (String word : text.split(" ", -1)) {
            if (used > 0 && used + 1 + word.length() >= width) {
                lines.append(System.lineSeparator()).append(" ".repeat(ABOUT_COLUMN));
                used = 0;
            }
            lines.append(used == 0 ? "" : " ").append(word);
            used += (used == 0 ? 0 : 1) + word.length();
        }
        return lines.toString();
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
        int columns = Math.max(NARROWEST_HELP, Math.min(WIDEST_HELP, terminal.columns()));
        commands.getHelpSectionMap()
                .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> overview(commands, columns));
        // Its arguments are the server's flags.
        Objects.requireNonNull(commands.getSubcommands().get("doctor")).setUnmatchedOptionsArePositionalParams(true);
        commands.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().usageMessage().footer(ExitCode.HELP));
        int code = commands.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8))
                .setExpandAtFiles(false)
                .setInterpolateVariables(false)
                .setUsageHelpWidth(columns)
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
            ArgSpec what = missing.getMissing().get(0);
            String flag = what instanceof OptionSpec option ? option.longestName() + " " : "";
            return flag + what.paramLabel() + ": missing" + help;
        }
        if (problem.getArgSpec() instanceof OptionSpec option && problem.getValue() != null) {
            return option.longestName() + ": " + Text.visible(problem.getValue()) + " (expected: a whole number)";
        }
        Matcher unknown = UNKNOWN.matcher(String.valueOf(problem.getMessage()));
        if (unknown.lookingAt()) {
            return Text.visible(unknown.group(1)) + ": unknown command" + help;
        }
        return Text.visible(
                        String.valueOf(problem.getMessage()).lines().findFirst().orElse(""))
                + help;
    }
}
