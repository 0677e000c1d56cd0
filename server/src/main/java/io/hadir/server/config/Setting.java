package io.hadir.server.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table of settings.
 *
 * @param concern the heading it stands under
 * @param name the flag without its dashes, which is also the key in a file
 * @param kind what its values look like
 * @param fallback the default as somebody would write it, null if the setting may be absent
 * @param absent what holds when it is absent, in words; empty if it has a default
 * @param about what it does and why the default is what it is
 */
record Setting<T>(
        String concern, String name, Kind<T> kind, @Nullable String fallback, String absent, String about) {

    String flag() {
        return "--" + name;
    }

    String variable() {
        return Settings.VARIABLE_PREFIX + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** The default in words or as written. */
    String shownDefault() {
        return fallback == null ? absent : fallback;
    }
}
