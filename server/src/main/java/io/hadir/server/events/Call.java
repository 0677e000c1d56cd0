package io.hadir.server.events;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.server.wire.ErrorJson;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import io.hadir.socketio.Ack;
import io.hadir.socketio.Socket;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One event and its answer. The answer goes to the client's callback; without a callback, it is an event. */
final class Call {
    private static final PresenceError NO_USER =
            PresenceError.of(ErrorCode.UNAUTHENTICATED, "the user of this socket is unknown");
    private static final PresenceError OTHER_USER =
            PresenceError.of(ErrorCode.FORBIDDEN, "this socket belongs to another user");
    private static final PresenceError OTHER_CONTACTS =
            PresenceError.of(ErrorCode.FORBIDDEN, "the token does not permit to watch these users");
    private static final int MOST_CONTACTS = 500;
    private static final PresenceError BUG = PresenceError.of(ErrorCode.INTERNAL, "something went wrong");

    private final Socket socket;
    private final String event;
    private final Payload payload;
    private final Ack ack;
    private boolean begun;

    Call(Socket socket, String event, Payload payload, Ack ack) {
        this.socket = socket;
        this.event = event;
        this.payload = payload;
        this.ack = ack;
    }

    Socket socket() {
        return socket;
    }

    SocketId socketId() {
        return new SocketId(socket.id());
    }

    Identity identity() {
        return Identity.of(socket);
    }

    Payload payload() {
        return payload;
    }

    /** The room of the event. Every event reads it here, because a token may permit only some rooms. */
    RoomId room() throws RefusedException {
        RoomId room = payload.roomId();
        if (!identity().permits(room)) {
            throw new RefusedException(PresenceError.forbiddenRoom());
        }
        return room;
    }

    /** The room of an event that may be about all rooms of its socket; null if it is. */
    @Nullable
    RoomId optionalRoom() throws RefusedException {
        return payload.optionalRoomId() == null ? null : room();
    }

    /** The rooms of the event, all of them permitted. */
    List<RoomId> rooms() throws RefusedException {
        List<RoomId> rooms = payload.roomIds();
        if (!rooms.stream().allMatch(identity()::permits)) {
            throw new RefusedException(PresenceError.forbiddenRoom());
        }
        return rooms;
    }

    /** The users of the event. This socket may watch all of them. */
    List<UserId> contacts() throws RefusedException {
        List<UserId> users = payload.users("userIds", MOST_CONTACTS);
        if (!users.stream().allMatch(identity()::mayWatch)) {
            throw new RefusedException(OTHER_CONTACTS);
        }
        return users;
    }

    /**
     * The user in whose name the event acts. Read it last: it reserves the socket for this user until the event is
     * answered.
     */
    UserId user() throws RefusedException {
        UserId user = Optional.ofNullable(payload.userId())
                .or(identity()::user)
                .orElseThrow(() -> new RefusedException(NO_USER));
        begun = identity().begin(user);
        if (!begun) {
            throw new RefusedException(OTHER_USER);
        }
        return user;
    }

    /** Reads the fields of an event and takes its step. */
    interface Handler {
        CompletionStage<? extends Answer<?>> handle(Call call) throws RefusedException;
    }

    /**
     * Handles the event and sends the answer.
     *
     * @param answerEvent the event that carries a success if there is no callback; null to send none
     * @return the same answer, once it is sent
     */
    CompletionStage<? extends Answer<?>> answer(@Nullable String answerEvent, Handler handler) {
        return handle(handler).whenComplete((answer, failed) -> {
            boolean accepted = failed == null && answer instanceof Answer.Ok;
            if (begun) {
                identity().end(accepted);
            }
            if (failed != null) {
                refuse(BUG);
            } else if (answer instanceof Answer.Refused<?> refused) {
                refuse(refused.error());
            } else if (answer instanceof Answer.Ok<?> ok) {
                accept(answerEvent, ok.value());
            }
        });
    }

    private CompletionStage<? extends Answer<?>> handle(Handler handler) {
        try {
            return handler.handle(this);
        } catch (RefusedException refused) {
            return CompletableFuture.completedFuture(Answer.refused(refused.error()));
        }
    }

    private void accept(@Nullable String answerEvent, Object message) {
        if (ack.isWanted()) {
            ack.send(message);
        } else if (answerEvent != null) {
            socket.emit(answerEvent, message);
        }
    }

    private record Refused(boolean ok, ErrorJson error) {}

    void refuse(PresenceError error) {
        if (ack.isWanted()) {
            ack.send(new Refused(false, ErrorJson.of(error)));
        } else {
            socket.emit("room:error", ErrorJson.of(error, event));
        }
    }
}
