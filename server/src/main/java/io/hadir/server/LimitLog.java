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
 * Says that clients are turned away because of limits: one line in a while for all of them, so that a flood of clients is
 * not a flood of lines. Not for use by several threads.
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

    /** What this server's limits do. */
    static LimitLog of(Slots connections, Engine engine, SocketServer sockets) {
        return new LimitLog()
                .watch("connections refused:", connections::refused)
                .watch("sessions refused:", engine::refused)
                .watch("events refused:", sockets.counts()::limitedEvents)
                .watch(
                        "sessions closed that sent too much:",
                        () -> sockets.counts().floods() + engine.floods())
                .watch("sessions closed that did not read:", engine::sendBufferClosings);
    }

    void start(ScheduledExecutorService executor) {
        var unused = executor.scheduleAtFixedRate(this, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    /** Watches one more count, which is named in the plural. */
    LimitLog watch(String words, LongSupplier count) {
        all.add(new Watched(words, count));
        return this;
    }

    /** Tells what happened since the last time, if anything did. */
    @Override
    public void run() {
        List<String> told = new ArrayList<>();
        for (Watched watched : all) {
            long now = watched.count.getAsLong();
            if (now != watched.seen) {
                told.add(watched.words + " " + (now - watched.seen));
                watched.seen = now;
            }
        }
        if (!told.isEmpty()) {
            LOG.warn("Clients are turned away because of limits: {}", String.join(", ", told));
        }
    }
}
