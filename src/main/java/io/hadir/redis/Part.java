package io.hadir.redis;

/**
 * What one master of a cluster holds; a Redis that is no cluster is one part.
 *
 * @param address host and port of the master, empty if there is only one part
 * @param slots how many slots it has
 */
record Part(String address, int slots) {
    static final Part WHOLE = new Part("", 16_384);

    String host() {
        return address.substring(0, address.lastIndexOf(':'));
    }

    int port() {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }
}
