package io.hadir.socketio;

import io.hadir.presence.Answer;
import io.hadir.presence.ErrorCode;
import io.hadir.presence.Position;
import io.hadir.presence.Presence;
import io.hadir.presence.PresenceError;
import io.hadir.presence.PresenceSettings;
import io.hadir.presence.RoomId;
import io.hadir.presence.SocketId;
import io.hadir.presence.UserId;
import io.hadir.presence.Username;
import io.hadir.user.Users;
import io.hadir.wire.Payload;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Maps Socket.IO events to presence, and its answers back.
 *
 * <p>This is open mode: a socket is whose it says it is, by {@code auth.userId} or by the first accepted event that
 * names a user, and then for good.
 */
public final class PresenceEvents implements SocketListener {
    private static final PresenceError UNKNOWN_EVENT =
            PresenceError.of(ErrorCode.NOT_FOUND, "This server does not know that event.");

    private static final PresenceError TOO_MANY =
            PresenceError.of(ErrorCode.RATE_LIMITED, "This socket sends more events than it may.");

    private final Presence presence;
    private final Users users;
    private final PresenceMessages messages;

    public PresenceEvents(Presence presence, Users users, PresenceSettings settings) {
        this.presence = presence;
        this.users = users;
        this.messages = new PresenceMessages(settings);
    }

    public Presence presence() {
        return presence;
    }

    public Users users() {
        return users;
    }

    @Override
    public CompletionStage<Admission> connecting(Handshake handshake) {
        if (!(new Payload(handshake.auth()).userId() instanceof Answer.Ok<Optional<UserId>> given)) {
            return CompletableFuture.completedFuture(Admission.refused(ErrorCode.INVALID_ARGUMENT.wire()));
        }
        return given.value()
                .map(user -> register(handshake, user))
                .orElseGet(() -> CompletableFuture.completedFuture(Admission.ACCEPTED));
    }

    /** Admits a client whose user is known, if the user may have one more. */
    private CompletionStage<Admission> register(Handshake handshake, UserId user) {
        return users.connect(new SocketId(handshake.socketId()), user)
                .thenApply(answer -> answer instanceof Answer.Refused<UserId> refused
                        ? Admission.refused(refused.error().code().wire())
                        : Admission.ACCEPTED);
    }

    @Override
    public void abandoned(Handshake handshake) {
        users.disconnect(new SocketId(handshake.socketId()));
    }

    @Override
    public void connected(Socket socket) {
        Identity identity = new Identity();
        if (new Payload(socket.handshake().auth()).userId() instanceof Answer.Ok<Optional<UserId>> given) {
            given.value().ifPresent(identity::settle);
        }
        socket.attach(identity);
        presence.connect(new SocketId(socket.id()), null);
    }

    @Override
    public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
        Call call = new Call(socket, name, ack);
        Payload payload = Payload.of(arguments);
        switch (name) {
            case "join_room" -> call.answer("room:joined", join(call, payload));
            case "room:heartbeat" -> call.answer("room:heartbeat:ack", heartbeat(call, payload));
            case "leave_room" -> call.answer("room:left", leave(call, payload));
            case "room:participants" -> call.answer("room:participants", list(call, payload));
            case "room:focus" -> call.answer(focus(call, payload));
            case "room:blur" -> call.answer(blur(call, payload));
            case "unread" -> call.answer(unread(call, payload));
            default -> call.refuse(UNKNOWN_EVENT);
        }
    }

    @Override
    public void limited(Socket socket, String name, Ack ack) {
        new Call(socket, name, ack).refuse(TOO_MANY);
    }

    @Override
    public void disconnected(Socket socket, DisconnectReason reason) {
        presence.disconnect(new SocketId(socket.id()));
    }

    private record Join(RoomId room, UserId user, Username name) {}

    private CompletionStage<Answer<Map<String, Object>>> join(Call call, Payload payload) {
        Answer<Join> request = payload.roomId()
                .flatMap(room -> payload.username()
                        .flatMap(name ->
                                call.user(payload).map(user -> new Join(room, user, name.orElse(Username.of(user))))));
        return take(request, join -> presence.join(call.socketId(), join.room, join.user, join.name), messages::joined);
    }

    private record Heartbeat(RoomId room, UserId user) {}

    private CompletionStage<Answer<Map<String, Object>>> heartbeat(Call call, Payload payload) {
        Answer<Heartbeat> request =
                payload.roomId().flatMap(room -> call.user(payload).map(user -> new Heartbeat(room, user)));
        return take(request, beat -> presence.heartbeat(call.socketId(), beat.room, beat.user), messages::heartbeat);
    }

    private record Leave(RoomId room, UserId user, boolean everywhere) {}

    private CompletionStage<Answer<Map<String, Object>>> leave(Call call, Payload payload) {
        Answer<Leave> request = payload.roomId()
                .flatMap(room -> payload.everywhere()
                        .flatMap(everywhere -> call.user(payload).map(user -> new Leave(room, user, everywhere))));
        return take(
                request,
                leave -> presence.leave(call.socketId(), leave.room, leave.user, leave.everywhere),
                messages::left);
    }

    private record Look(RoomId room, int limit, Optional<Position> after) {}

    private CompletionStage<Answer<Map<String, Object>>> list(Call call, Payload payload) {
        Answer<Look> request = payload.roomId()
                .flatMap(room ->
                        payload.limit().flatMap(limit -> payload.cursor().map(after -> new Look(room, limit, after))));
        return take(
                request,
                look -> presence.list(call.socketId(), look.room, look.after.orElse(null), look.limit),
                messages::listing);
    }

    private CompletionStage<Answer<Map<String, Object>>> focus(Call call, Payload payload) {
        SocketId socket = call.socketId();
        return take(
                glance(call, payload),
                glance -> presence.inOrder(socket, glance.user, () -> users.focus(socket, glance.room)),
                PresenceMessages::focused);
    }

    private CompletionStage<Answer<Map<String, Object>>> blur(Call call, Payload payload) {
        SocketId socket = call.socketId();
        return take(
                glance(call, payload),
                glance -> presence.inOrder(socket, glance.user, () -> users.blur(socket, glance.room)),
                PresenceMessages::blurred);
    }

    private record Glance(RoomId room, UserId user) {}

    private static Answer<Glance> glance(Call call, Payload payload) {
        return payload.roomId().flatMap(room -> call.user(payload).map(user -> new Glance(room, user)));
    }

    private record Question(List<RoomId> rooms, UserId user) {}

    private CompletionStage<Answer<Map<String, Object>>> unread(Call call, Payload payload) {
        Answer<Question> request =
                payload.roomIds().flatMap(rooms -> call.user(payload).map(user -> new Question(rooms, user)));
        return take(
                request,
                question -> presence.inOrder(
                        call.socketId(), question.user, () -> users.unread(question.user, question.rooms)),
                PresenceMessages::unread);
    }

    /** Takes a step if its request is in order, and writes down what came of it. */
    private static <Q, T> CompletionStage<Answer<Map<String, Object>>> take(
            Answer<Q> request, Function<Q, CompletionStage<Answer<T>>> step, Function<T, Map<String, Object>> message) {
        if (request instanceof Answer.Ok<Q> ok) {
            return step.apply(ok.value()).thenApply(answer -> answer.map(message));
        }
        return CompletableFuture.completedFuture(Answer.refused(((Answer.Refused<Q>) request).error()));
    }
}
