package io.hadir.server.config;

import java.util.List;

/** The settings are wrong; carries every problem at once. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    ConfigException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line each: where the setting was given, its value, and what was expected. */
    public List<String> problems() {
        return problems;
    }
}
