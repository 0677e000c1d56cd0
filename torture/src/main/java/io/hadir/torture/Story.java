package io.hadir.torture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What happened to each user, and to everything, the latest of it: told when something was found. */
final class Story {
    private static final int KEPT = 80;
    private static final String EVERYWHERE = "";

    private final Map<String, Deque<Line>> lines = new HashMap<>();
    private final Stopwatch watch;

    private record Line(long at, String text) {}

    Story(Stopwatch watch) {
        this.watch = watch;
    }

    void of(String user, String text) {
        Deque<Line> told = lines.computeIfAbsent(user, name -> new ArrayDeque<>());
        told.addLast(new Line(watch.now(), text));
        if (told.size() > KEPT) {
            told.removeFirst();
        }
    }

    /** Something that concerns everybody. */
    void ofAll(String text) {
        of(EVERYWHERE, text);
    }

    /** What is known of a user, with what happened around it. */
    List<String> tell(String user) {
        Deque<Line> own = user.equals(EVERYWHERE) ? new ArrayDeque<>() : lines.getOrDefault(user, new ArrayDeque<>());
        long from = own.isEmpty() ? 0 : own.getFirst().at;
        Deque<Line> all = new ArrayDeque<>(own);
        lines.getOrDefault(EVERYWHERE, new ArrayDeque<>()).stream()
                .filter(line -> line.at >= from)
                .forEach(all::addLast);
        return all.stream()
                .sorted((a, b) -> Long.compare(a.at, b.at))
                .map(line -> "%10.3f s  %s".formatted(line.at / 1e9, line.text))
                .toList();
    }
}
