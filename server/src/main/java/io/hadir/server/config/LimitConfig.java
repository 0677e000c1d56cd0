package io.hadir.server.config;

/**
 * What one stranger may take. Zero means no limit where it says so.
 *
 * @param maxConnections TCP connections in all
 * @param connectionsPerAddress TCP connections from one address, 0 for no limit
 * @param eventsPerSecond events of one socket, bursts of twice that, 0 for no limit
 * @param socketsPerUser sockets that one user may have at a time, on all servers together
 * @param roomsPerSocket rooms that one socket may be in at a time
 */
public record LimitConfig(
        int maxConnections, int connectionsPerAddress, int eventsPerSecond, int socketsPerUser, int roomsPerSocket) {
    private static final int SOCKETS_AT_FULL_RATE = 4;
    private static final int LEAST_STRANGERS = 100;
    private static final int STRANGERS_SHARE = 10;

    /** Events of all sockets of one user on this server together, bursts of twice that, 0 for no limit. */
    public int eventsPerSecondOfUser() {
        return SOCKETS_AT_FULL_RATE * eventsPerSecond;
    }

    /**
     * Sessions of one address that may be open without being connected to a namespace. A tenth of all, because behind one
     * address there may be thousands who come back at once; each connects within a moment.
     */
    public int strangersPerAddress() {
        return Math.max(LEAST_STRANGERS, maxConnections / STRANGERS_SHARE);
    }
}
