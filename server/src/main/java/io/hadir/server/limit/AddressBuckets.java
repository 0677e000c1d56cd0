package io.hadir.server.limit;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A token bucket per address; for IPv6 per /64 network, which is what one customer gets. Safe for any thread. */
public final class AddressBuckets {
    private static final int MAX_ADDRESSES = 10_000;
    private static final int IPV6_NETWORK_BYTES = 8;

    private final Buckets<ByteBuffer> buckets;

    /** Allows this many per second and address, and bursts of twice that. */
    public AddressBuckets(int perSecond) {
        buckets = new Buckets<>(perSecond, MAX_ADDRESSES);
    }

    /** Takes a token of this address; false if there is none. */
    public boolean take(InetAddress address, long nowNanos) {
        return buckets.take(network(address), 1, nowNanos) == 0;
    }

    private static ByteBuffer network(InetAddress address) {
        byte[] bytes = address.getAddress();
        return ByteBuffer.wrap(bytes.length == 4 ? bytes : Arrays.copyOf(bytes, IPV6_NETWORK_BYTES));
    }
}
