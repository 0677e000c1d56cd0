package io.hadir.socketio;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/**
 * What an application hears of the sockets of one namespace.
 *
 * <p>For every {@link #connected} there is exactly one {@link #disconnected}, whatever happens to the connection. The
 * calls for one socket never overlap and come in the order in which the client sent; calls for different sockets do
 * overlap. They come on an event loop, so none may block. An exception ends the socket's connection and nothing else.
 */
public interface SocketListener {
    /** Decides whether a client may connect; a stage that fails refuses it. */
    default CompletionStage<Admission> connecting(Handshake handshake) {
        return CompletableFuture.completedFuture(Admission.ACCEPTED);
    }

    /** The client went while it was being decided whether it may connect; it will not be connected. */
    default void abandoned(Handshake handshake) {}

    /** The client is connected and has been told so. */
    void connected(Socket socket);

    /** The client sent an event. The acknowledgement does nothing if the client did not ask for one. */
    void event(Socket socket, String name, List<JsonNode> arguments, Ack ack);

    /**
     * What an event costs of the sender's limits, 1 or more. Asked before {@link #event}.
     *
     * @param payload the first argument, missing if there is none
     */
    default int cost(String name, JsonNode payload) {
        return 1;
    }

    /**
     * Takes the cost of an event from a limit that the socket shares with others.
     *
     * @return 0, or if the limit is used up the nanoseconds until the event would be within it
     */
    default long takeShared(Socket socket, int cost, long nowNanos) {
        return 0;
    }

    /**
     * The client sent an event, but more than it may; it is not handled, and if this goes on the connection is closed.
     *
     * @param wait until the event would be within the limits
     */
    default void limited(Socket socket, String name, Ack ack, Duration wait) {}

    /** The socket is gone but still in its groups. */
    default void disconnecting(Socket socket, DisconnectReason reason) {}

    /** The socket is gone and out of its groups. The last call for this socket. */
    void disconnected(Socket socket, DisconnectReason reason);
}
