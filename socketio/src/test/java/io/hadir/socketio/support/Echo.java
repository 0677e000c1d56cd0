package io.hadir.socketio.support;

import io.hadir.socketio.Ack;
import io.hadir.socketio.Admission;
import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.Handshake;
import io.hadir.socketio.Namespace;
import io.hadir.socketio.Socket;
import io.hadir.socketio.SocketListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/**
 * A listener that does what the client asks: {@code message}, {@code message-with-ack}, {@code kick}, {@code drop},
 * {@code ask}, {@code flood}, {@code enter}, {@code exit}, {@code shout}, {@code fail}. It announces every disconnect
 * to the group {@code watch}.
 */
public class Echo implements SocketListener {
    private final Namespace namespace;

    public Echo(Namespace namespace) {
        this.namespace = namespace;
    }

    protected final Namespace namespace() {
        return namespace;
    }

    @Override
    public CompletionStage<Admission> connecting(Handshake handshake) {
        JsonNode refuse = handshake.auth().path("refuse");
        return CompletableFuture.completedFuture(
                refuse.isString() ? Admission.refused(refuse.stringValue()) : Admission.accepted(handshake.auth()));
    }

    @Override
    public void connected(Socket socket) {
        if (socket.attachment() instanceof JsonNode auth && !auth.isEmpty()) {
            socket.emit("auth", auth);
        }
    }

    @Override
    public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
        Object[] all = arguments.toArray();
        switch (name) {
            case "message" -> socket.emit("message-back", all);
            case "message-with-ack" -> ack.send(all);
            case "kick" -> socket.disconnect();
            case "drop" -> socket.close();
            case "ask" ->
                socket.ask(Duration.ofMillis(arguments.get(0).intValue()), "question")
                        .whenComplete((answer, failure) -> socket.emit(
                                "answer",
                                failure == null ? answer : failure.getClass().getSimpleName()));
            case "flood" -> {
                for (int i = 0; i < arguments.get(0).intValue(); i++) {
                    socket.emit("numbered", i);
                }
            }
            case "enter" -> {
                socket.join(arguments.get(0).stringValue());
                ack.send();
            }
            case "exit" -> {
                socket.leave(arguments.get(0).stringValue());
                ack.send();
            }
            case "shout" ->
                namespace.broadcast(
                        arguments.get(0).stringValue(),
                        "heard",
                        arguments.subList(1, arguments.size()).toArray());
            case "fail" -> throw new IllegalStateException("as asked");
            default -> {}
        }
    }

    @Override
    public void disconnected(Socket socket, DisconnectReason reason) {
        namespace.broadcast("watch", "gone", socket.id(), reason.toString());
    }
}
