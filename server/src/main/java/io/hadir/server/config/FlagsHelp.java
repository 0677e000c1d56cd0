package io.hadir.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** What {@code --help} shows: every setting under its concern, laid out by picocli. */
final class FlagsHelp {
    private FlagsHelp() {}

    static String text(String commands) {
        CommandSpec spec = CommandSpec.create().name("hadir");
        Flags.settings().forEach(setting -> spec.addOption(option(setting)));
        spec.addOption(OptionSpec.builder("-h", Flags.HELP)
                .description("Shows this help.")
                .build());
        spec.addOption(OptionSpec.builder("-V", Flags.VERSION)
                .description("Shows the version.")
                .build());
        spec.usageMessage()
                .width(100)
                .customSynopsis("hadir [serve] [FLAG=VALUE]...", "       hadir COMMAND ...")
                .description("%nRoom presence for Socket.IO apps: who is in the room right now, and never a ghost.%n"
                        + "Every flag can also be an environment variable or a key in a YAML file.%n%n"
                        + commands.replace("%", "%%"))
                .footer(
                        "%nExit codes: 0 after a normal end, 1 if the server could not start, 2 if a setting is wrong.");
        CommandLine commandLine = new CommandLine(spec).setInterpolateVariables(false);
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, FlagsHelp::optionList);
        return commandLine.getUsageMessage();
    }

    private static OptionSpec option(Setting<?> setting) {
        OptionSpec.Builder option = OptionSpec.builder(setting.flag())
                .type(String.class)
                .arity("1")
                .paramLabel(setting.kind().label())
                .description(
                        setting.about().replace("%", "%%"),
                        "Default: " + setting.shownDefault().replace("%", "%%") + ". Or " + setting.variable() + ".");
        if (setting.isSwitch()) {
            option.arity("0..1").fallbackValue("true");
        }
        return option.build();
    }

    private static String optionList(Help help) {
        Map<String, List<OptionSpec>> byConcern = new LinkedHashMap<>();
        Map<String, OptionSpec> options = help.commandSpec().optionsMap();
        Flags.settings()
                .forEach(setting -> byConcern
                        .computeIfAbsent(setting.concern(), concern -> new ArrayList<>())
                        .add(options.get(setting.flag())));
        byConcern.put("Help", List.of(options.get(Flags.HELP), options.get(Flags.VERSION)));

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
}
