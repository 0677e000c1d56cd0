package io.hadir.socketio.http;

import java.util.regex.Pattern;

/** The names by which a machine calls itself, which nobody else can have. */
public final class Loopback {
    private static final Pattern NAME = Pattern.compile("(?i)(localhost|127(\\.[0-9]{1,3}){3}|\\[::1])(:[0-9]{1,5})?");

    private Loopback() {}

    /** Whether this is such a name, with or without a port. */
    public static boolean isName(String host) {
        return NAME.matcher(host).matches();
    }
}
