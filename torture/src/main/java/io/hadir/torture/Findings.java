package io.hadir.torture;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What was found that is not as it is promised, each with its story. */
final class Findings {
    private static final int TOLD_AT_MOST = 10;

    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
    private final List<Finding> told = new ArrayList<>();
    private final Stopwatch watch;
    private final Story story;
    private final Consumer<String> progress;

    enum Kind {
        GHOST("ghosts past their time"),
        FALSE_LEAVE("false leaves"),
        DOUBLED("doubled messages"),
        MISSED("missed messages"),
        WRONG_COUNT("wrong counts"),
        UNTOLD("put out and not told"),
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

    /** One of them. */
    record Finding(Kind kind, long at, String user, String what, List<String> story) {}

    /** What is found is said at once, in a line. */
    Findings(Stopwatch watch, Story story, Consumer<String> progress) {
        this.watch = watch;
        this.story = story;
        this.progress = progress;
    }

    void add(Kind kind, String user, String what) {
        counts.merge(kind, 1, Integer::sum);
        progress.accept("FOUND at " + Stopwatch.words(watch.now()) + ": " + kind.words() + ": " + what);
        if (told.size() < TOLD_AT_MOST) {
            told.add(new Finding(kind, watch.now(), user, what, story.tell(user)));
        }
    }

    int count(Kind kind) {
        return counts.getOrDefault(kind, 0);
    }

    int all() {
        return counts.values().stream().mapToInt(n -> n).sum();
    }

    boolean isEmpty() {
        return counts.isEmpty();
    }

    List<Finding> told() {
        return told;
    }
}
