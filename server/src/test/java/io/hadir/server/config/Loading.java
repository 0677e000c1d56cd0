package io.hadir.server.config;

import java.util.List;
import java.util.Map;

/** Loads settings from a test's flags and variables. */
final class Loading {
    private Loading() {}

    static Config load(String... arguments) {
        return load(Map.of(), arguments);
    }

    static Config load(Map<String, String> environment, String... arguments) {
        return ConfigLoader.load(Flags.parse(List.of(arguments)), environment).config();
    }

    static List<String> problems(String... arguments) {
        return problems(Map.of(), arguments);
    }

    static List<String> problems(Map<String, String> environment, String... arguments) {
        try {
            load(environment, arguments);
            return List.of();
        } catch (ConfigException e) {
            return e.problems();
        }
    }
}
