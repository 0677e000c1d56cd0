package io.hadir.server.metrics;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Seat;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Measures the time from a disconnect until the room is told: the grace period and any delay after it. Covers sockets
 * of this node, in rooms whose changes carry names.
 */
final class DisconnectTimes {
    /** Beyond this number, the oldest disconnects are not measured. */
    private static final int MAX_MEASURED = 10_000;

    private static final long[] BEYOND_GRACE_MILLIS = {100, 250, 500, 1_000, 2_500, 5_000, 15_000};

    /** A leave this long after the grace period has another cause: the user had another socket or came back. */
    private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

    private final Map<Seat, Disconnect> disconnects = new LinkedHashMap<>();
    private final Timer told;
    private final long longestNanos;

    private record Disconnect(Holder holder, long at) {}

    DisconnectTimes(Metrics metrics, Duration grace) {
        told = metrics.timer(
                "hadir.disconnect.told",
                "Time from a disconnect until the others in the room were told, including the grace period",
                LongStream.of(BEYOND_GRACE_MILLIS).mapToObj(grace::plusMillis).toArray(Duration[]::new));
        longestNanos = grace.plus(LONGEST_DELAY).toNanos();
    }

    /** The seat's holder disconnected. If this is repeated because Redis did not answer, the first time counts. */
    synchronized void disconnected(Seat seat, Holder holder) {
        Disconnect before = disconnects.remove(seat);
        boolean repeated = before != null && before.holder.equals(holder);
        disconnects.put(seat, repeated ? before : new Disconnect(holder, System.nanoTime()));
        if (disconnects.size() > MAX_MEASURED) {
            Iterator<Seat> first = disconnects.keySet().iterator();
            first.next();
            first.remove();
        }
    }

    /** The user is back in the room. */
    synchronized void returned(Seat seat) {
        disconnects.remove(seat);
    }

    synchronized void announced(RoomNews news) {
        for (RoomChange.Left left : news.left()) {
            Disconnect disconnect = disconnects.remove(new Seat(news.room(), left.user()));
            if (disconnect != null && left.reason() == RemovalReason.DISCONNECTED) {
                long took = System.nanoTime() - disconnect.at;
                if (took <= longestNanos) {
                    told.record(Duration.ofNanos(took));
                }
            }
        }
    }
}
