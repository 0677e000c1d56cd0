package io.hadir.torture;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Everything that is counted and measured in a run. Lives on the loop. */
final class Tally {
    final Map<Action, Integer> actions = new EnumMap<>(Action.class);
    final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);
    /** What was refused, by code, while nothing was broken. */
    final Map<String, Integer> refused = new TreeMap<>();
    /** The times of this cause, while nothing else was broken. */
    final Map<String, Samples> calm = new LinkedHashMap<>();
    /** The same, with something broken in between. */
    final Map<String, Samples> broken = new LinkedHashMap<>();

    int joins;
    int joined;
    int heartbeats;
    int news;
    int repaired;
    int looks;
    int lists;
    int users;
    int afterDeletion;
    int dropped;
    long entries;
    /** How long the longest wrong entry lived past its time. */
    long longestGhost;

    void did(Action action) {
        actions.merge(action, 1, Integer::sum);
    }

    void broke(FaultKind kind) {
        faults.merge(kind, 1, Integer::sum);
    }

    void took(String what, boolean undisturbed, long time) {
        (undisturbed ? calm : broken)
                .computeIfAbsent(what, name -> new Samples())
                .add(time);
    }

    int operations() {
        return joins + heartbeats + actions.values().stream().mapToInt(n -> n).sum();
    }
}
