package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Wakes many sessions with one task per event loop instead of one per session. For one thread at a time.
 */
public final class SessionBatch {
    private final Map<EventLoop, List<Session>> byLoop = new HashMap<>();

    /** Shares frames with a session, which it will send in a row once {@link #run} has woken it. */
    public void send(Session session, List<ByteBuf> frames) {
        if (session.enqueueShared(frames)) {
            add(session);
        }
    }

    void add(Session session) {
        byLoop.computeIfAbsent(session.home(), loop -> new ArrayList<>()).add(session);
    }

    /** Wakes them all. */
    public void run() {
        byLoop.forEach((loop, sessions) -> Mailbox.execute(loop, () -> sessions.forEach(Session::run)));
        byLoop.clear();
    }
}
