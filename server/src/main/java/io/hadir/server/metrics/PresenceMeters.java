package io.hadir.server.metrics;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Seat;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** Counts what happens to presences. */
final class PresenceMeters implements PresenceObserver {
    private final DisconnectTimes disconnects;
    private final Counter joined;
    private final Counter arrived;
    private final Counter refused;
    private final Counter restored;
    private final Counter heartbeats;
    private final Counter messages;
    private final Counter changes;
    private final Map<RemovalReason, Counter> forceLeaves;
    private final Map<RemovalReason, Counter> sweepRemovals;
    private final Counter leaseFailures;
    private final Counter leaseLosses;
    private final Duration lease;
    private Consumer<Seat> arrivals = seat -> {};
    private volatile boolean renewed;
    private volatile long renewedAt;

    PresenceMeters(Metrics metrics, Duration grace, Duration lease) {
        this.lease = lease;
        disconnects = new DisconnectTimes(metrics, grace);
        String joins = "Joins that reached Redis, by result";
        joined = metrics.counter("hadir.joins", joins, "result", "joined");
        refused = metrics.counter("hadir.joins", joins, "result", "refused");
        arrived = metrics.counter("hadir.arrivals", "Users who joined a room that they were not in");
        restored = metrics.counter("hadir.restores", "Users restored to a room after a reconnect");
        heartbeats = metrics.counter("hadir.heartbeats", "Heartbeats of sockets in rooms");
        messages = metrics.counter("hadir.room.messages", "room:presence messages, counted once per room");
        changes = metrics.counter("hadir.room.changes.told", "Joins and leaves that room:presence messages covered");
        forceLeaves = byReason(metrics, "hadir.force.leaves", "room:force-leave messages");
        sweepRemovals = byReason(metrics, "hadir.sweep.removals", "Users removed by the sweep");
        leaseFailures = metrics.counter("hadir.lease.renewals.failed", "Failed renewals of this node's lease");
        leaseLosses = metrics.counter("hadir.lease.losses", "Times that this node's lease expired before its renewal");
        metrics.gauge("hadir.lease.held", "Whether this node holds its lease", () -> isHeld() ? 1 : 0);
    }

    private static Map<RemovalReason, Counter> byReason(Metrics metrics, String name, String about) {
        Map<RemovalReason, Counter> counters = new EnumMap<>(RemovalReason.class);
        for (RemovalReason reason : RemovalReason.values()) {
            counters.put(reason, metrics.counter(name, about, "reason", reason.wire()));
        }
        return counters;
    }

    private boolean isHeld() {
        return renewed && System.nanoTime() - renewedAt < lease.toNanos();
    }

    @Override
    public void joined(Seat seat) {
        disconnects.returned(seat);
        joined.increment();
    }

    @Override
    public void arrived(Seat seat) {
        arrived.increment();
        arrivals.accept(seat);
    }

    /** Sets who else hears of arrivals; called once, before the start. */
    void listen(Consumer<Seat> listener) {
        arrivals = listener;
    }

    long arrivals() {
        return (long) arrived.count();
    }

    @Override
    public void joinRefused() {
        refused.increment();
    }

    @Override
    public void restored(Seat seat) {
        disconnects.returned(seat);
        restored.increment();
    }

    @Override
    public void heartbeat() {
        heartbeats.increment();
    }

    @Override
    public void disconnected(Seat seat, Holder holder) {
        disconnects.disconnected(seat, holder);
    }

    @Override
    public void swept(RemovalReason reason) {
        Objects.requireNonNull(sweepRemovals.get(reason)).increment();
    }

    @Override
    public void forceLeave(RemovalReason reason) {
        Objects.requireNonNull(forceLeaves.get(reason)).increment();
    }

    @Override
    public void announced(RoomNews news) {
        messages.increment();
        changes.increment((double) (news.revision() - news.fromRevision()));
        disconnects.announced(news);
    }

    @Override
    public void leaseRenewed(boolean kept) {
        if (!kept && renewed) {
            leaseLosses.increment();
        }
        renewedAt = System.nanoTime();
        renewed = true;
    }

    @Override
    public void leaseFailed() {
        leaseFailures.increment();
    }
}
