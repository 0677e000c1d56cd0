package io.hadir.server.config;

import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** The wording of every problem with the settings. */
final class Problem {
    private Problem() {}

    /** One line: {@code --port: abc (expected: a whole number from 0 to 65535)}. */
    static String line(String place, String found, String expected) {
        String line = place + ": " + found + " (expected: " + expected + ")";
        return line.replaceAll("\\p{Cntrl}", "?");
    }

    /** The line for an unknown name, with a similar known one if there is any. */
    static String unknown(String place, String what, String name, Stream<String> known) {
        String hint = nearest(name, known)
                .map(near -> " (did you mean " + near + "?)")
                .orElse("");
        return (place + ": " + what + hint).replaceAll("\\p{Cntrl}", "?");
    }

    private static Optional<String> nearest(String name, Stream<String> known) {
        return known.filter(candidate -> distance(name, candidate) <= Math.max(2, candidate.length() / 3))
                .min(Comparator.comparingInt(candidate -> distance(name, candidate)));
    }

    /** The Levenshtein distance. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int substituted = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
