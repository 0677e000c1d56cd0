package io.hadir.config;

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
        int maxConnections, int connectionsPerAddress, int eventsPerSecond, int socketsPerUser, int roomsPerSocket) {}
