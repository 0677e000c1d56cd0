package io.hadir.torture;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The latest events of each user, and those that concern everybody. Each finding is printed with its history. */
final class History {
    private static final int KEPT = 80;
    private static final String EVERYBODY = "";

    private final Map<String, Deque<Event>> events = new HashMap<>();
    private final Stopwatch watch;

    private record Event(long at, String text) {}

    History(Stopwatch watch) {
        this.watch = watch;
    }

    void record(String user, String text) {
        Deque<Event> own = events.computeIfAbsent(user, name -> new ArrayDeque<>());
        own.addLast(new Event(watch.now(), text));
        if (own.size() > KEPT) {
            own.removeFirst();
        }
    }

    void recordForAll(String text) {
        record(EVERYBODY, text);
    }

    /** The events of a user, and those for everybody since the first of them. */
    List<String> of(String user) {
        Deque<Event> own = user.equals(EVERYBODY) ? new ArrayDeque<>() : events.getOrDefault(user, new ArrayDeque<>());
        long from = own.isEmpty() ? 0 : own.getFirst().at;
        Stream<Event> shared =
                events.getOrDefault(EVERYBODY, new ArrayDeque<>()).stream().filter(event -> event.at >= from);
        return Stream.concat(own.stream(), shared)
                .sorted(Comparator.comparingLong(Event::at))
                .map(event -> "%10.3f s  %s".formatted(event.at / 1e9, event.text))
                .toList();
    }
}
