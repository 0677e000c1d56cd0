package io.hadir.socketio;

import io.hadir.presence.Answer;
import io.hadir.presence.ErrorCode;
import io.hadir.presence.PresenceError;
import io.hadir.presence.SocketId;
import io.hadir.presence.UserId;
import io.hadir.wire.Fields;
import io.hadir.wire.Payload;
import java.util.Map;
import java.util.Objects;
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

    /** Answers with what a step ends with; only a failure is told if there is no callback. */
    void answer(CompletionStage<Answer<Map<String, Object>>> step) {
        answer(null, step);
    }

    /** Answers with what a step ends with. */
    void answer(@Nullable String answerEvent, CompletionStage<Answer<Map<String, Object>>> step) {
        step.whenComplete((answer, failed) -> {
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
            ack.send(Map.of("ok", false, "error", Fields.error(error)));
        } else {
            Map<String, Object> message = Fields.error(error);
            message.put("event", event);
            socket.emit("room:error", message);
        }
    }

    private Identity identity() {
        return (Identity) Objects.requireNonNull(socket.attachment());
    }
}
