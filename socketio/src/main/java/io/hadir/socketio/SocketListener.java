package io.hadir.socketio;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/**
 * Receives the events of one namespace's sockets.
 *
 * <p>Every {@link #connected} is followed by exactly one {@link #disconnected}, whatever happens to the connection.
 * Calls for one socket never overlap and keep the order in which the client sent. Calls for different sockets do
 * overlap. They run on event loops and must not block. An exception closes that socket's connection and nothing else.
 */
public interface SocketListener {
    /** Decides whether a client may connect. A failed stage refuses it. */
    default CompletionStage<Admission> connecting(Handshake handshake) {
        return CompletableFuture.completedFuture(Admission.ACCEPTED);
    }

    /** The client was admitted, but disconnected before that; {@link #connected} will not follow. */
    default void abandoned(Handshake handshake) {}

    /** The client is connected, and its CONNECT packet is on the way. */
    void connected(Socket socket);

    /** The client sent an event. */
    void event(Socket socket, String name, List<JsonNode> arguments, Ack ack);

    /**
     * Returns how much an event takes from the sender's limits, 1 or more. Called before {@link #event}.
     *
     * @param payload the first argument, missing if there is none
     */
    default int cost(String name, JsonNode payload) {
        return 1;
    }

    /**
     * Takes the cost of an event from a limit that the socket shares with other sockets.
     *
     * @return 0, or the nanoseconds until the event would be within the limit
     */
    default long takeShared(Socket socket, int cost, long nowNanos) {
        return 0;
    }

    /**
     * The client sent an event beyond its limits. {@link #event} is not called, and the connection is closed if this
     * goes on.
     *
     * @param wait until the event would be within the limits
     */
    default void limited(Socket socket, String name, Ack ack, Duration wait) {}

    /**
     * The client kept exceeding its limits. Its further packets are ignored, and its connection is closed once this
     * completes. Complete it soon, after answering what the client sent within its limits.
     */
    default CompletionStage<?> flooded(Socket socket) {
        return CompletableFuture.completedFuture(null);
    }

    /** The socket is disconnected but still in its groups. */
    default void disconnecting(Socket socket, DisconnectReason reason) {}

    /** The socket is disconnected and has left its groups. The last call for this socket. */
    void disconnected(Socket socket, DisconnectReason reason);
}
