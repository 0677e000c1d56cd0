package io.hadir.server.cli;

import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;

/** The output, environment and clock of a command. */
record Terminal(PrintStream out, PrintStream err, Map<String, String> environment, Ansi ansi, Clock clock) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final int UNLIMITED = 10_000;

    void say(String line) {
        out.println(line);
    }

    void say(JsonNode answer) {
        out.println(Text.visibleJson(answer.toString()));
    }

    void complain(String line) {
        err.println("hadir: " + line);
    }

    String bold(String text) {
        return ansi.enabled() ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    /** The width of a line; unlimited if the output is not a terminal. */
    int columns() {
        String columns = environment.getOrDefault("COLUMNS", "");
        return columns.matches("[1-9][0-9]{1,3}") ? Integer.parseInt(columns) : UNLIMITED;
    }

    /** The time of day now. */
    String now() {
        return TIME.format(clock.instant().atZone(zone()));
    }

    /** How long ago a time was, in the largest unit that fits. */
    String ago(JsonNode millis) {
        return millis.isNumber() ? span(millis) + " ago" : "-";
    }

    /** The time from then until now. */
    String span(JsonNode millis) {
        return span(millis, clock.instant());
    }

    /** The time from then until a time of the server's clock. */
    String span(JsonNode millis, Instant until) {
        return millis.isNumber() ? span(Instant.ofEpochMilli(millis.asLong()), until) : "-";
    }

    static String span(Instant from, Instant until) {
        long seconds = Math.max(0, Duration.between(from, until).toSeconds());
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3_600) {
            return seconds / 60 + " min";
        }
        return seconds < 172_800 ? seconds / 3_600 + " h" : seconds / 86_400 + " days";
    }

    String date(JsonNode millis) {
        return DAY.format(Instant.ofEpochMilli(millis.asLong()).atZone(zone()));
    }

    private ZoneId zone() {
        return clock.getZone();
    }
}
