package io.hadir.limit;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counts open connections, in all and by address, and says when there are too many. Safe for any thread. */
public final class ConnectionLimit {
    private final int most;
    private final int mostPerAddress;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentHashMap<InetAddress, Integer> byAddress = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();

    /**
     * @param most connections in all
     * @param mostPerAddress connections from one address, 0 for no limit
     */
    public ConnectionLimit(int most, int mostPerAddress) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
    }

    /** Counts one more connection and returns true, or leaves it uncounted and returns false. */
    public boolean admit(InetAddress address) {
        if (open.incrementAndGet() > most || !admitAddress(address)) {
            open.decrementAndGet();
            refused.increment();
            return false;
        }
        return true;
    }

    private boolean admitAddress(InetAddress address) {
        if (mostPerAddress == 0) {
            return true;
        }
        boolean[] admitted = new boolean[1];
        byAddress.compute(address, (key, count) -> {
            int now = count == null ? 0 : count;
            admitted[0] = now < mostPerAddress;
            return admitted[0] ? Integer.valueOf(now + 1) : count;
        });
        return admitted[0];
    }

    /** Gives back what {@link #admit} counted. */
    public void release(InetAddress address) {
        open.decrementAndGet();
        if (mostPerAddress != 0) {
            byAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    public int open() {
        return open.get();
    }

    public long refused() {
        return refused.sum();
    }
}
