package io.hadir.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command line: the given flags, and the problems with the rest. Parsed without picocli, whose classes would slow
 * the start.
 *
 * @param values by setting name
 * @param problems one line each
 * @param help whether {@code --help} was given
 * @param version whether {@code --version} was given
 */
public record Flags(Map<String, String> values, List<String> problems, boolean help, boolean version) {
    static final String HELP = "--help";
    static final String VERSION = "--version";

    /** Parses arguments; {@code serve} may come first and changes nothing. */
    public static Flags parse(List<String> arguments) {
        boolean serve = !arguments.isEmpty() && arguments.get(0).equals("serve");
        Parser parser = new Parser();
        parser.parse(serve ? arguments.subList(1, arguments.size()) : arguments);
        return new Flags(parser.values, parser.problems(), parser.help, parser.version);
    }

    /**
     * The text of {@code --help}.
     *
     * @param commands the list of commands
     */
    public static String helpText(String commands) {
        return FlagsHelp.text(commands);
    }

    /** The names of all flags, with their dashes. */
    public static List<String> names() {
        return Stream.concat(settings().map(Setting::flag), Stream.of(HELP, VERSION))
                .toList();
    }

    static Stream<Setting<?>> settings() {
        return Stream.concat(Settings.ALL.stream(), Stream.of(Settings.FILE));
    }

    private static final class Parser {
        private final Map<String, Setting<?>> known =
                settings().collect(Collectors.toMap(Setting::flag, setting -> setting));
        private final Map<String, String> values = new LinkedHashMap<>();
        private final List<String> wrong = new ArrayList<>();
        private final List<String> unknown = new ArrayList<>();
        private boolean help;
        private boolean version;

        void parse(List<String> arguments) {
            for (int i = 0; i < arguments.size(); i++) {
                String[] parts = arguments.get(i).split("=", 2);
                Setting<?> setting = known.get(parts[0]);
                if (setting == null) {
                    other(arguments.get(i));
                } else if (parts.length == 2) {
                    put(setting, parts[1]);
                } else if (i + 1 < arguments.size() && !isFlag(arguments.get(i + 1))) {
                    put(setting, arguments.get(++i));
                } else if (setting.isSwitch()) {
                    put(setting, "true");
                } else {
                    wrong.add(Problem.line(
                            setting.flag(), "no value", setting.kind().expected()));
                }
            }
        }

        private boolean isFlag(String argument) {
            return known.containsKey(argument.split("=", 2)[0]) || isHelp(argument) || isVersion(argument);
        }

        private static boolean isHelp(String argument) {
            return argument.equals(HELP) || argument.equals("-h");
        }

        private static boolean isVersion(String argument) {
            return argument.equals(VERSION) || argument.equals("-V");
        }

        private void other(String argument) {
            if (isHelp(argument)) {
                help = true;
            } else if (isVersion(argument)) {
                version = true;
            } else {
                unknown.add(argument);
            }
        }

        private void put(Setting<?> setting, String value) {
            if (values.putIfAbsent(setting.name(), value) != null) {
                wrong.add(Problem.line(setting.flag(), "given twice", "once"));
            }
        }

        List<String> problems() {
            List<String> problems = new ArrayList<>(wrong);
            boolean afterUnknownFlag = false;
            for (String argument : unknown) {
                String name = argument.split("=", 2)[0];
                if (name.startsWith("-")) {
                    problems.add(Problem.unknown(
                            name, "unknown flag", name, settings().map(Setting::flag)));
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
}
