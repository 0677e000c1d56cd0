package io.hadir.socketio;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One client's connection to one namespace. Every method may be called from any thread, never blocks, and does nothing
 * once the socket is gone. What one thread emits arrives in that order.
 */
public interface Socket {
    /** The node's id, a dot, and 120 random bits: unique among all nodes, and impossible to guess. */
    String id();

    /** Without the client's payload if the admission had an attachment in its place. */
    Handshake handshake();

    /** False from the moment the disconnect was noticed. */
    boolean isConnected();

    /** Sends an event. Arguments are what Jackson can write; byte arrays travel as binary attachments. */
    void emit(String event, @Nullable Object... arguments);

    /** Sends an event and completes with the client's acknowledgement, or fails when it does not come in time. */
    CompletionStage<List<JsonNode>> ask(Duration timeout, String event, @Nullable Object... arguments);

    /** Joins a local group, to be reached by {@link Namespace#broadcast}. */
    void join(String group);

    void leave(String group);

    /** Tells the client that it was disconnected, so that it does not come back by itself, and closes the connection. */
    void disconnect();

    /** Closes the connection without a word, so that the client comes back by itself. */
    void close();

    /** What the application keeps with this socket, null until {@link #attach}. */
    @Nullable
    Object attachment();

    void attach(Object attachment);
}
