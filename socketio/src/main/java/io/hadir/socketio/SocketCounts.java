package io.hadir.socketio;

import java.util.concurrent.atomic.LongAdder;

/** What is counted about the sockets of a server since its start. Safe for any thread. */
public final class SocketCounts {
    private final LongAdder limitedEvents = new LongAdder();
    private final LongAdder floods = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder deliveries = new LongAdder();

    /** Events that were refused because a socket sent too many. */
    public long limitedEvents() {
        return limitedEvents.sum();
    }

    /** Sessions that were closed because they went on sending too much. */
    public long floods() {
        return floods.sum();
    }

    /** Sockets that were not let in. */
    public long refusals() {
        return refusals.sum();
    }

    /** Messages to groups, counted once for each socket that they went to. */
    public long deliveries() {
        return deliveries.sum();
    }

    void limitEvent() {
        limitedEvents.increment();
    }

    void flood() {
        floods.increment();
    }

    void refuse() {
        refusals.increment();
    }

    void deliver(int sockets) {
        deliveries.add(sockets);
    }
}
