package io.hadir.socketio.engine;

import java.time.Duration;

/**
 * Limits and deadlines of the Engine.IO and Socket.IO layers.
 *
 * @param pingInterval how often the server pings a client
 * @param pingTimeout how long the client may take to answer before its session ends
 * @param maxPayloadBytes the largest message or polling body that a client may send
 * @param sendBufferBytes how much may wait for one client before its session is closed for not reading
 * @param connectTimeout how long a session may stay without being connected to a namespace
 * @param upgradeTimeout how long an upgrade from polling to WebSocket may take
 */
public record TransportConfig(
        Duration pingInterval,
        Duration pingTimeout,
        int maxPayloadBytes,
        int sendBufferBytes,
        Duration connectTimeout,
        Duration upgradeTimeout) {

    /**
     * Not a setting: clients connect right after the handshake. A shorter time only hurts slow networks, a longer one
     * only helps attackers who hoard sessions.
     */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** Engine.IO's own default. Not a setting: a client whose probe takes longer stays on polling and loses nothing. */
    public static final Duration UPGRADE_TIMEOUT = Duration.ofSeconds(10);
}
