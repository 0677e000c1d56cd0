package io.hadir.server.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table of settings.
 *
 * @param concern the heading that it is listed under
 * @param name the flag without its dashes, and the key in a file
 * @param kind what its values look like
 * @param fallback the default as an operator would write it; null if there is none
 * @param absent what happens without a value, in words; empty if there is a default
 * @param about what it does, and the reason for its default
 */
record Setting<T>(
        String concern, String name, Kind<T> kind, @Nullable String fallback, String absent, String about) {
    static final String VARIABLE_PREFIX = "HADIR_";

    private static final int SHOWN_LENGTH = 120;

    /**
     * A value as an operator wrote it.
     *
     * @param place the flag, the variable, or the line and key of the file
     */
    record Given(String place, String text) {}

    /** Whether the flag alone means true. */
    boolean isSwitch() {
        return "false".equals(fallback);
    }

    String flag() {
        return "--" + name;
    }

    String variable() {
        return VARIABLE_PREFIX + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** The default as written, or in words. */
    String shownDefault() {
        return fallback == null ? absent : fallback;
    }

    /** The line that says what is wrong with a value of this setting. */
    String problem(Given given, String expected) {
        String text = kind.shown().apply(given.text);
        String cut = text.length() > SHOWN_LENGTH ? text.substring(0, SHOWN_LENGTH) + "..." : text;
        boolean needsQuotes = cut.isEmpty() || !cut.equals(cut.strip());
        return Problem.line(given.place, needsQuotes ? '"' + cut + '"' : cut, expected);
    }
}
