package io.hadir.server;

import io.hadir.socketio.SocketServer;
import io.hadir.socketio.engine.Engine;
import io.hadir.socketio.limit.Slots;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that limits refuse clients, with at most one line per interval, so a flood of clients causes no flood of lines.
 * Not thread-safe.
 */
final class LimitLog implements Runnable {
    private static final long EVERY_SECONDS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(LimitLog.class);

    private final List<Watched> all = new ArrayList<>();

    private static final class Watched {
        final String words;
        final LongSupplier count;
        long seen;

        Watched(String words, LongSupplier count) {
            this.words = words;
            this.count = count;
        }
    }

    /** Watches the limits of this node. */
    static LimitLog of(Slots connections, Engine engine, SocketServer sockets) {
        return new LimitLog()
                .watch("connections refused:", connections::refused)
                .watch("sessions refused:", engine::refused)
                .watch("events refused:", sockets.counts()::limitedEvents)
                .watch(
                        "sessions closed for sending too much:",
                        () -> sockets.counts().floods() + engine.floods())
                .watch("sessions closed for not reading:", engine::sendBufferClosings);
    }

    void start(ScheduledExecutorService executor) {
        var unused = executor.scheduleAtFixedRate(this, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    /** Adds a count; the words end with a colon. */
    LimitLog watch(String words, LongSupplier count) {
        all.add(new Watched(words, count));
        return this;
    }

    /** Logs the counts that rose since the last run. */
    @Override
    public void run() {
        List<String> lines = new ArrayList<>();
        for (Watched watched : all) {
            long now = watched.count.getAsLong();
            if (now != watched.seen) {
                lines.add(watched.words + " " + (now - watched.seen));
                watched.seen = now;
            }
        }
        if (!lines.isEmpty()) {
            LOG.warn("Limits refused clients: {}", String.join(", ", lines));
        }
    }
}
