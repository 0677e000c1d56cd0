package io.hadir.redis.link;

/**
 * One master of a cluster, or all of a Redis that is no cluster.
 *
 * @param address host and port; empty if there is no cluster
 * @param slots number of slots that it serves
 */
public record Master(String address, int slots) {
    static final Master WHOLE = new Master("", 16_384);

    String host() {
        return address.substring(0, address.lastIndexOf(':'));
    }

    int port() {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }
}
