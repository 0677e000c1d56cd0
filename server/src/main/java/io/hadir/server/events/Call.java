package io.hadir.server.events;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.server.wire.Fields;
import io.hadir.server.wire.Payload;
import io.hadir.socketio.Ack;
import io.hadir.socketio.Socket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One event that wants an answer: by its callback, or by an event if it has none. */
final class Call {
    private static final PresenceError NO_USER =
            PresenceError.of(ErrorCode.UNAUTHENTICATED, "the user of this socket is not known");
    private static final PresenceError OTHER_USER =
            PresenceError.of(ErrorCode.FORBIDDEN, "this socket belongs to another user");
    private static final PresenceError BUG = PresenceError.of(ErrorCode.INTERNAL, "something went wrong");

    private final Socket socket;
    private final String event;
    private final Ack ack;
    private boolean begun;

    Call(Socket socket, String event, Ack ack) {
        this.socket = socket;
        this.event = event;
        this.ack = ack;
    }

    SocketId socketId() {
        return new SocketId(socket.id());
    }

    /** The room that the event is about. Every event that names one asks here, because not everybody may. */
    Answer<RoomId> room(Payload payload) {
        return payload.roomId().flatMap(this::permitted);
    }

    private Answer<RoomId> permitted(RoomId room) {
        return identity().permits(room) ? Answer.ok(room) : Answer.refused(PresenceError.forbiddenRoom());
    }

    /** The rooms, if the socket may have to do with every one of them. */
    Answer<List<RoomId>> permitted(List<RoomId> rooms) {
        return rooms.stream().allMatch(identity()::permits)
                ? Answer.ok(rooms)
                : Answer.refused(PresenceError.forbiddenRoom());
    }

    /** The user in whose name the event acts. */
    Answer<UserId> user(Payload payload) {
        return payload.userId().flatMap(named -> {
            Optional<UserId> user = named.or(() -> identity().user());
            if (user.isEmpty()) {
                return Answer.refused(NO_USER);
            }
            begun = identity().begin(user.get());
            return begun ? Answer.ok(user.get()) : Answer.refused(OTHER_USER);
        });
    }

    /**
     * Answers with what a step ends with.
     *
     * @param answerEvent how a good answer arrives without a callback, null if it does not
     * @return the same, when the answer is on its way
     */
    CompletionStage<Answer<Map<String, Object>>> answer(
            @Nullable String answerEvent, CompletionStage<Answer<Map<String, Object>>> step) {
        return step.whenComplete((answer, failed) -> {
            boolean accepted = failed == null && answer instanceof Answer.Ok;
            if (begun) {
                identity().end(accepted);
            }
            if (failed != null) {
                refuse(BUG);
            } else if (answer instanceof Answer.Refused<Map<String, Object>> refused) {
                refuse(refused.error());
            } else if (answer instanceof Answer.Ok<Map<String, Object>> ok) {
                accept(answerEvent, ok.value());
            }
        });
    }

    private void accept(@Nullable String answerEvent, Map<String, Object> message) {
        if (ack.isWanted()) {
            ack.send(message);
        } else if (answerEvent != null) {
            socket.emit(answerEvent, message);
        }
    }

    void refuse(PresenceError error) {
        if (ack.isWanted()) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("ok", false);
            answer.put("error", Fields.error(error));
            ack.send(answer);
        } else {
            Map<String, Object> message = Fields.error(error);
            message.put("event", event);
            socket.emit("room:error", message);
        }
    }

    Identity identity() {
        return Identity.of(socket);
    }
}
