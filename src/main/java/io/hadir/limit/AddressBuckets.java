package io.hadir.limit;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A token bucket for each address; of IPv6, for each /64 network, which is what one customer gets. The addresses that
 * were heard of least recently are forgotten. Safe for any thread.
 */
public final class AddressBuckets {
    private static final int MOST = 10_000;
    private static final int IPV6_NETWORK_BYTES = 8;

    private final int perSecond;
    private final Map<ByteBuffer, TokenBucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, TokenBucket> eldest) {
            return size() > MOST;
        }
    };

    /** Buckets that each allow so much a second, and bursts of twice that. */
    public AddressBuckets(int perSecond) {
        this.perSecond = perSecond;
    }

    /** Takes a token of this address if there is one. */
    public synchronized boolean take(InetAddress address, long nowNanos) {
        return buckets.computeIfAbsent(network(address), first -> new TokenBucket(perSecond, nowNanos))
                .take(nowNanos);
    }

    private static ByteBuffer network(InetAddress address) {
        byte[] bytes = address.getAddress();
        return ByteBuffer.wrap(bytes.length == 4 ? bytes : Arrays.copyOf(bytes, IPV6_NETWORK_BYTES));
    }
}
