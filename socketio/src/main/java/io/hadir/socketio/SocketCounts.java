package io.hadir.socketio;

import java.util.concurrent.atomic.LongAdder;

/** Counters of a server's sockets since its start. Safe for any thread. */
public final class SocketCounts {
    private final LongAdder limitedEvents = new LongAdder();
    private final LongAdder floods = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder deliveries = new LongAdder();

    /** Packets beyond a socket's limits. */
    public long limitedEvents() {
        return limitedEvents.sum();
    }

    /** Sessions that were closed because they kept exceeding their limits. */
    public long floods() {
        return floods.sum();
    }

    /** Refused requests to connect to a namespace. */
    public long refusals() {
        return refusals.sum();
    }

    /** Broadcast messages, counted once per receiving socket. */
    public long deliveries() {
        return deliveries.sum();
    }

    public void countLimitedEvent() {
        limitedEvents.increment();
    }

    public void countFlood() {
        floods.increment();
    }

    public void countRefusal() {
        refusals.increment();
    }

    void countDeliveries(int sockets) {
        deliveries.add(sockets);
    }
}
