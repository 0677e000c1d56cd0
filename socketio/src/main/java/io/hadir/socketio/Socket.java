package io.hadir.socketio;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One client's connection to one namespace. Methods are safe for any thread, never block, and do nothing after the
 * disconnect. Events that one thread emits arrive in that order.
 */
public interface Socket {
    /** The server's prefix, a dot, and 120 random bits: unique across servers and impossible to guess. */
    String id();

    /** The attachment of the {@link Admission}, null if there is none. */
    @Nullable
    Object attachment();

    /** False as soon as the server notices the disconnect. */
    boolean isConnected();

    /** Sends an event. Jackson writes the arguments; byte arrays travel as binary attachments. */
    void emit(String event, @Nullable Object... arguments);

    /**
     * Sends an event and completes with the client's acknowledgement. Fails with a {@link TimeoutException} or a
     * {@link DisconnectedException} if there is none.
     */
    CompletionStage<List<JsonNode>> ask(Duration timeout, String event, @Nullable Object... arguments);

    /** Joins a group of this server, which {@link Namespace#broadcast} reaches. */
    void join(String group);

    void leave(String group);

    /** Disconnects the client and tells it, so that it does not reconnect by itself. */
    void disconnect();

    /** Closes the connection without a DISCONNECT packet, so that the client reconnects by itself. */
    void close();
}
