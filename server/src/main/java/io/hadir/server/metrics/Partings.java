package io.hadir.server.metrics;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.LeaveReason;
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
 * How long it takes from a disconnect until the others in the room are told: the grace, and what comes on top of it.
 * Measured for sockets of this node in rooms whose changes are told here by name.
 */
final class Partings {
    /** What is kept at most; beyond it the oldest are not measured. */
    private static final int MOST = 10_000;

    private static final long[] BEYOND_GRACE_MILLIS = {100, 250, 500, 1_000, 2_500, 5_000, 15_000};

    /** So long after the grace a user who is then said to have gone was kept by something else than this socket. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Map<Seat, Parting> begun = new LinkedHashMap<>();
    private final Timer told;
    private final long oldest;

    private record Parting(Holder holder, long at) {}

    Partings(Metrics metrics, Duration grace) {
        told = metrics.timer(
                "hadir.disconnect.told",
                "From a disconnect until the others in the room were told, the grace included",
                LongStream.of(BEYOND_GRACE_MILLIS).mapToObj(grace::plusMillis).toArray(Duration[]::new));
        oldest = grace.plus(PATIENCE).toNanos();
    }

    /** A socket that held the seat is gone. Said again when Redis did not hear it at first. */
    synchronized void begin(Seat seat, Holder holder) {
        Parting before = begun.remove(seat);
        boolean again = before != null && before.holder.equals(holder);
        begun.put(seat, again ? before : new Parting(holder, System.nanoTime()));
        if (begun.size() > MOST) {
            Iterator<Seat> first = begun.keySet().iterator();
            first.next();
            first.remove();
        }
    }

    /** The user is back. */
    synchronized void forget(Seat seat) {
        begun.remove(seat);
    }

    synchronized void tell(RoomNews news) {
        for (RoomChange.Left left : news.left()) {
            Parting parting = begun.remove(new Seat(news.room(), left.user()));
            if (parting != null && left.reason() == LeaveReason.DISCONNECTED) {
                long took = System.nanoTime() - parting.at;
                if (took <= oldest) {
                    told.record(Duration.ofNanos(took));
                }
            }
        }
    }
}
