package io.hadir.server.config;

import java.util.List;

/** The settings cannot be used; carries every problem at once, one line each. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    ConfigException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line each: the setting where it was set, its value, what was expected. */
    public List<String> problems() {
        return problems;
    }
}
