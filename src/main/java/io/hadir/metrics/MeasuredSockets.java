package io.hadir.metrics;

import io.hadir.presence.LeaveReason;
import io.hadir.presence.LocalSockets;
import io.hadir.presence.RoomId;
import io.hadir.presence.RoomNews;
import io.hadir.presence.SocketId;
import io.hadir.presence.SocketMessage;
import io.micrometer.core.instrument.Counter;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Sockets of which is counted what they are told. */
final class MeasuredSockets implements LocalSockets {
    private final LocalSockets sockets;
    private final Partings partings;
    private final Counter messages;
    private final Counter changes;
    private final Map<LeaveReason, Counter> forceLeaves = new EnumMap<>(LeaveReason.class);

    MeasuredSockets(LocalSockets sockets, Metrics metrics, Partings partings) {
        this.sockets = sockets;
        this.partings = partings;
        messages = metrics.counter("hadir.room.messages", "room:presence messages, each counted once for its room");
        changes = metrics.counter("hadir.room.changes.told", "Joins and leaves that room:presence messages covered");
        for (LeaveReason reason : LeaveReason.values()) {
            forceLeaves.put(
                    reason,
                    metrics.counter(
                            "hadir.force.leaves",
                            "Sockets told by room:force-leave that they are out",
                            "reason",
                            reason.wire()));
        }
    }

    @Override
    public void send(SocketId socket, SocketMessage message) {
        if (message instanceof SocketMessage.ForceLeave told) {
            Objects.requireNonNull(forceLeaves.get(told.reason())).increment();
        }
        sockets.send(socket, message);
    }

    @Override
    public void tell(RoomNews news) {
        sockets.tell(news);
        messages.increment();
        changes.increment((double) (news.revision() - news.fromRevision()));
        partings.tell(news);
    }

    @Override
    public void enter(SocketId socket, RoomId room) {
        sockets.enter(socket, room);
    }

    @Override
    public void exit(SocketId socket, RoomId room) {
        sockets.exit(socket, room);
    }

    @Override
    public void disconnect(SocketId socket) {
        sockets.disconnect(socket);
    }
}
