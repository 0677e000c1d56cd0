package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Wakes many sessions with one task per event loop instead of one per session. Not thread-safe. */
public final class SessionBatch {
    private final Map<EventLoop, List<Session>> byLoop = new HashMap<>();

    /**
     * Queues frames for a session, which sends them in a row once {@link #run} wakes it. The caller keeps its
     * reference.
     */
    public void send(Session session, List<ByteBuf> frames) {
        if (session.enqueueShared(frames)) {
            add(session);
        }
    }

    void add(Session session) {
        byLoop.computeIfAbsent(session.home(), loop -> new ArrayList<>()).add(session);
    }

    public void run() {
        byLoop.forEach((loop, sessions) -> Mailbox.execute(loop, () -> sessions.forEach(Session::run)));
        byLoop.clear();
    }
}
