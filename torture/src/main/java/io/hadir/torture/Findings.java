package io.hadir.torture;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Every broken promise that the run found. */
final class Findings {
    private static final int MOST_WITH_HISTORY = 10;

    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
    private final List<Finding> first = new ArrayList<>();
    private final Stopwatch watch;
    private final History history;
    private final Consumer<String> progress;

    /** Kinds of findings; their words are also field names of the JSON certificate. */
    enum Kind {
        GHOST("ghosts past their time"),
        FALSE_LEAVE("false leaves"),
        DOUBLED("doubled messages"),
        MISSED("missed messages"),
        WRONG_COUNT("wrong counts"),
        UNTOLD("removed and not told"),
        DISAGREES("lists that do not agree with the keys"),
        WRONG_ONLINE("wrongly online or offline"),
        WITHOUT_TTL("presences without a TTL"),
        LEFT_BEHIND("left behind at the end");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** One finding, with the events that led to it. */
    record Finding(Kind kind, long at, String what, List<String> history) {
        @Override
        public String toString() {
            return "FOUND at " + Stopwatch.format(at) + ": " + kind.words() + ": " + what;
        }
    }

    /**
     * @param progress hears about each finding at once
     */
    Findings(Stopwatch watch, History history, Consumer<String> progress) {
        this.watch = watch;
        this.history = history;
        this.progress = progress;
    }

    void add(Kind kind, String user, String what) {
        counts.merge(kind, 1, Integer::sum);
        boolean kept = first.size() < MOST_WITH_HISTORY;
        Finding finding = new Finding(kind, watch.now(), what, kept ? history.of(user) : List.of());
        progress.accept(finding.toString());
        if (kept) {
            first.add(finding);
        }
    }

    int count(Kind kind) {
        return counts.getOrDefault(kind, 0);
    }

    int count() {
        return counts.values().stream().mapToInt(n -> n).sum();
    }

    boolean isEmpty() {
        return counts.isEmpty();
    }

    /** The first findings, with their histories. */
    List<Finding> first() {
        return first;
    }
}
