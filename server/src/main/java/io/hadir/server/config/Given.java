package io.hadir.server.config;

/**
 * A value as somebody wrote it.
 *
 * @param place where: the flag, the variable, or the line and key of the file
 */
record Given(String place, String text) {
    private static final int SHOWN_LENGTH = 120;

    /** The line that says what is wrong with it. */
    String problem(Setting<?> setting, String expected) {
        return Problem.line(place, visible(setting.kind().shown().apply(text)), expected);
    }

    private static String visible(String text) {
        String cut = text.length() > SHOWN_LENGTH ? text.substring(0, SHOWN_LENGTH) + "..." : text;
        return cut.isEmpty() || !cut.equals(cut.strip()) ? '"' + cut + '"' : cut;
    }
}
