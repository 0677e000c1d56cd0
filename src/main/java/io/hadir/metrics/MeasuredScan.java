package io.hadir.metrics;

import io.hadir.presence.LeaveReason;
import io.hadir.presence.PresenceScan;
import io.hadir.presence.RoomId;
import io.hadir.presence.Seat;
import io.hadir.presence.SocketId;
import io.micrometer.core.instrument.Counter;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A scan whose removals are counted. */
final class MeasuredScan implements PresenceScan {
    private final PresenceScan scan;
    private final Map<LeaveReason, Counter> removals = new EnumMap<>(LeaveReason.class);

    MeasuredScan(PresenceScan scan, Metrics metrics) {
        this.scan = scan;
        for (LeaveReason reason : List.of(LeaveReason.SERVER_GONE, LeaveReason.DISCONNECTED, LeaveReason.LEFT)) {
            removals.put(
                    reason,
                    metrics.counter(
                            "hadir.sweep.removals",
                            "Users removed because the sweep found them not to be there",
                            "reason",
                            reason.wire()));
        }
    }

    @Override
    public CompletionStage<Boolean> sweep(Seat seat, LeaveReason reason, Collection<SocketId> dead) {
        return scan.sweep(seat, reason, dead).whenComplete((out, failure) -> {
            Counter counter = removals.get(reason);
            if (failure == null && out && counter != null) {
                counter.increment();
            }
        });
    }

    @Override
    public CompletionStage<Void> eachPresence(Function<List<Sighting>, CompletionStage<Boolean>> step) {
        return scan.eachPresence(step);
    }

    @Override
    public CompletionStage<Void> eachRoom(Function<RoomId, CompletionStage<Boolean>> step) {
        return scan.eachRoom(step);
    }
}
