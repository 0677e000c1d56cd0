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

/**
 * Where a command writes, and what is known of the place.
 *
 * @param environment the variables that the command was started with
 */
public record Terminal(PrintStream out, PrintStream err, Map<String, String> environment, Ansi ansi, Clock clock) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final int NO_END = 10_000;

    void say(String line) {
        out.println(line);
    }

    void say(JsonNode answer) {
        out.println(Text.visibleJson(answer.toString()));
    }

    public void complain(String line) {
        err.println("hadir: " + line);
    }

    String bold(String text) {
        return ansi.enabled() ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    /** How wide a line may be; what does not go to a terminal has no end. */
    int columns() {
        String columns = environment.getOrDefault("COLUMNS", "");
        return columns.matches("[1-9][0-9]{1,3}") ? Integer.parseInt(columns) : NO_END;
    }

    /** The time of day now. */
    String now() {
        return TIME.format(clock.instant().atZone(zone()));
    }

    /** How long ago something was, in the largest unit that fits. */
    String ago(JsonNode millis) {
        return millis.isNumber() ? span(millis) + " ago" : "-";
    }

    /** How long something has lasted. */
    String span(JsonNode millis) {
        return span(millis, clock.instant());
    }

    /** How long something had lasted at a time by the server's clock. */
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
