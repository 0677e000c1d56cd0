package io.hadir.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The command line: the given flags, and the problems with the rest.
 *
 * @param values by setting name
 * @param problems one line each
 * @param help whether {@code --help} was given
 * @param version whether {@code --version} was given
 */
public record Flags(Map<String, String> values, List<String> problems, boolean help, boolean version) {
    private static final String HELP = "--help";
    private static final String VERSION = "--version";

    /** Parses arguments; {@code serve} may come first and changes nothing. */
    public static Flags parse(List<String> arguments) {
        List<String> flags = arguments.isEmpty() || !arguments.get(0).equals("serve")
                ? arguments
                : arguments.subList(1, arguments.size());
        ParseResult parsed = commandLine().parseArgs(flags.toArray(String[]::new));

        Map<String, String> values = new LinkedHashMap<>();
        settings().forEach(setting -> {
            if (parsed.hasMatchedOption(setting.flag())) {
                values.put(setting.name(), parsed.matchedOptionValue(setting.flag(), ""));
            }
        });
        List<String> problems = new ArrayList<>();
        parsed.errors().forEach(error -> problems.add(problem((ParameterException) error)));
        problems.addAll(unknown(parsed.unmatched()));
        return new Flags(values, problems, parsed.isUsageHelpRequested(), parsed.isVersionHelpRequested());
    }

    /** The text of {@code --help}. */
    public static String helpText() {
        return commandLine().getUsageMessage();
    }

    private static Stream<Setting<?>> settings() {
        return Stream.concat(Settings.ALL.stream(), Stream.of(Settings.FILE));
    }

    private static CommandLine commandLine() {
        CommandSpec spec = CommandSpec.create().name("hadir");
        settings().forEach(setting -> spec.addOption(option(setting)));
        spec.addOption(OptionSpec.builder("-h", HELP)
                .usageHelp(true)
                .description("Shows this help.")
                .build());
        spec.addOption(OptionSpec.builder("-V", VERSION)
                .versionHelp(true)
                .description("Shows the version.")
                .build());
        spec.parser().collectErrors(true);
        spec.usageMessage()
                .width(100)
                .customSynopsis(
                        "hadir [serve] [FLAG=VALUE]...",
                        "       hadir COMMAND ..., to ask a running server: rooms, who, explain, kick, audit, stats; see hadir help")
                .description("%nRoom presence for Socket.IO apps: who is in the room right now, and never a ghost.%n"
                        + "Every flag can also be an environment variable or a key in a YAML file.%n")
                .footer(
                        "%nExit codes: 0 after a normal end, 1 if the server could not start, 2 if a setting is wrong.");
        CommandLine commandLine = new CommandLine(spec)
                .setUnmatchedArgumentsAllowed(true)
                .setExpandAtFiles(false)
                .setInterpolateVariables(false);
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, Flags::optionList);
        return commandLine;
    }

    private static OptionSpec option(Setting<?> setting) {
        OptionSpec.Builder option = OptionSpec.builder(setting.flag())
                .type(String.class)
                .arity("1")
                .paramLabel(setting.kind().label())
                .description(
                        setting.about().replace("%", "%%"),
                        "Default: " + setting.shownDefault().replace("%", "%%") + ". Or " + setting.variable() + ".");
        if (setting.equals(Settings.INSECURE)) {
            option.arity("0..1").fallbackValue("true");
        }
        return option.build();
    }

    private static String optionList(Help help) {
        Map<String, List<OptionSpec>> byConcern = new LinkedHashMap<>();
        Map<String, OptionSpec> options = help.commandSpec().optionsMap();
        settings()
                .forEach(setting -> byConcern
                        .computeIfAbsent(setting.concern(), concern -> new ArrayList<>())
                        .add(options.get(setting.flag())));
        byConcern.put("Help", List.of(options.get(HELP), options.get(VERSION)));

        StringBuilder text = new StringBuilder();
        byConcern.forEach((concern, group) -> {
            Help.Layout layout = help.createDefaultLayout();
            group.forEach(option -> layout.addOption(option, help.parameterLabelRenderer()));
            text.append(help.createHeading("@|bold " + concern + "|@%n"))
                    .append(layout)
                    .append(System.lineSeparator());
        });
        return text.toString();
    }

    private static String problem(ParameterException error) {
        if (error instanceof MissingParameterException missing
                && missing.getMissing().get(0) instanceof OptionSpec flag) {
            String expected = settings()
                    .filter(setting -> setting.flag().equals(flag.longestName()))
                    .map(setting -> setting.kind().expected())
                    .findFirst()
                    .orElse("a value");
            return Problem.line(flag.longestName(), "no value", expected);
        }
        if (error instanceof OverwrittenOptionException twice && twice.getOverwritten() instanceof OptionSpec flag) {
            return Problem.line(flag.longestName(), "given twice", "once");
        }
        return String.valueOf(error.getMessage());
    }

    private static List<String> unknown(List<String> arguments) {
        List<String> problems = new ArrayList<>();
        boolean afterUnknownFlag = false;
        for (String argument : arguments) {
            String name = argument.split("=", 2)[0];
            if (name.startsWith("-")) {
                problems.add(
                        Problem.unknown(name, "unknown flag", name, settings().map(Setting::flag)));
                afterUnknownFlag = name.equals(argument);
            } else {
                // After an unknown flag this is most likely its value, and one line is enough.
                if (!afterUnknownFlag) {
                    problems.add(Problem.line(argument, "unknown argument", "flags only, see --help"));
                }
                afterUnknownFlag = false;
            }
        }
        return problems;
    }
}
