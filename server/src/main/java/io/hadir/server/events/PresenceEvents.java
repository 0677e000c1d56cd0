package io.hadir.server.events;

import io.hadir.presence.Presence;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Users;
import io.hadir.server.auth.Token;
import io.hadir.server.limit.Buckets;
import io.hadir.server.wire.Payload;
import io.hadir.socketio.Ack;
import io.hadir.socketio.Admission;
import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.Handshake;
import io.hadir.socketio.Socket;
import io.hadir.socketio.SocketListener;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/** Maps Socket.IO events to presence, and its answers back. Who is who is the {@link Gate}'s to know. */
public final class PresenceEvents implements SocketListener {
    private static final PresenceError UNKNOWN_EVENT =
            PresenceError.of(ErrorCode.NOT_FOUND, "This server does not know that event.");

    /** Whoever waits so long may send as many events as the limit allows in a second, and not only the one. */
    private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);

    private static final String LIST = "room:participants";
    private static final int USUAL_PAGE = 100;
    private static final int LARGEST_PAGE = 1_000;

    private final Presence presence;
    private final Users users;
    private final Gate gate;
    private final Buckets<UserId> budgets;
    private final PresenceMessages messages;

    /** @param budgets what each user may do with all their sockets on this node together */
    public PresenceEvents(
            Presence presence, Users users, Gate gate, Buckets<UserId> budgets, PresenceSettings settings) {
        this.presence = presence;
        this.users = users;
        this.gate = gate;
        this.budgets = budgets;
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
        return gate.admit(handshake).thenCompose(admission -> register(handshake, admission));
    }

    /** Admits a client whose user is known only if the user may have one more, and its token is not revoked. */
    private CompletionStage<Admission> register(Handshake handshake, Admission admission) {
        if (!(admission.attachment() instanceof Identity identity)
                || identity.user().isEmpty()) {
            return CompletableFuture.completedFuture(admission);
        }
        UserId user = identity.user().get();
        // It costs as much as an event, but is not refused for it: stock clients do not come back after a refusal.
        budgets.charge(user, 1, System.nanoTime());
        Optional<Instant> issued = identity.token().map(Gate::issued);
        return users.connect(new SocketId(handshake.socketId()), user, issued.orElse(null))
                .thenApply(answer -> answer instanceof Answer.Refused<UserId> refused
                        ? gate.refuseKnown(refused.error())
                        : admission);
    }

    @Override
    public void abandoned(Handshake handshake) {
        users.disconnect(new SocketId(handshake.socketId()));
    }

    @Override
    public void connected(Socket socket) {
        Identity identity = Identity.of(socket);
        gate.opened(socket, identity);
        Optional<UserId> proven = identity.token().map(Token::user);
        SocketId id = new SocketId(socket.id());
        presence.connect(id, proven.orElse(null), identity.permitted());
        users.connected(id);
    }

    @Override
    public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
        Call call = new Call(socket, name, ack);
        Payload payload = Payload.of(arguments);
        switch (name) {
            case "join_room" -> call.answer("room:joined", join(call, payload));
            case "room:heartbeat" -> call.answer("room:heartbeat:ack", heartbeat(call, payload));
            case "leave_room" -> call.answer("room:left", leave(call, payload));
            case LIST -> call.answer(LIST, list(call, payload));
            case "room:focus" -> call.answer(null, focus(call, payload));
            case "room:blur" -> call.answer(null, blur(call, payload));
            case "unread" -> call.answer(null, unread(call, payload));
            case Gate.REFRESH -> refresh(call, socket, payload);
            default -> call.refuse(UNKNOWN_EVENT);
        }
    }

    /** A page of a thousand costs as much as ten of a hundred. */
    @Override
    public int cost(String name, JsonNode payload) {
        int limit = name.equals(LIST) ? payload.path("limit").asInt(1) : 1;
        return 1 + (Math.max(1, Math.min(limit, LARGEST_PAGE)) - 1) / USUAL_PAGE;
    }

    @Override
    public long takeShared(Socket socket, int cost, long nowNanos) {
        Optional<UserId> user = Identity.of(socket).user();
        return user.isEmpty() ? 0 : budgets.take(user.get(), cost, nowNanos);
    }

    @Override
    public void limited(Socket socket, String name, Ack ack, Duration wait) {
        new Call(socket, name, ack).refuse(tooMany(wait));
    }

    private static PresenceError tooMany(Duration wait) {
        return new PresenceError(
                ErrorCode.RATE_LIMITED,
                "This socket, or all sockets of its user together, send more events than they may.",
                null,
                wait.compareTo(SHORTEST_WAIT) > 0 ? wait : SHORTEST_WAIT,
                null);
    }

    @Override
    public void disconnected(Socket socket, DisconnectReason reason) {
        gate.gone(socket, Identity.of(socket));
        presence.disconnect(new SocketId(socket.id()));
    }

    /** The answer comes first: a socket that is put out of its last room by its new token is disconnected. */
    private void refresh(Call call, Socket socket, Payload payload) {
        Identity identity = Identity.of(socket);
        CompletionStage<Answer<Token>> renewed =
                gate.refresh(socket, identity, payload, token -> users.refresh(call.socketId(), Gate.issued(token)));
        call.answer(null, renewed.thenApply(answer -> answer.map(PresenceMessages::refreshed)))
                .thenAccept(answer -> {
                    if (answer instanceof Answer.Ok) {
                        presence.restrict(call.socketId(), identity.permitted());
                    }
                });
    }

    private record Join(RoomId room, UserId user, Profile profile, boolean focus) {}

    private CompletionStage<Answer<Map<String, Object>>> join(Call call, Payload payload) {
        Answer<Join> request = call.room(payload)
                .flatMap(room -> payload.username()
                        .flatMap(name -> payload.focus()
                                .flatMap(focus -> call.user(payload)
                                        .map(user -> new Join(
                                                room,
                                                user,
                                                new Profile(
                                                        name.orElse(null),
                                                        call.identity().nameOf(user)),
                                                focus)))));
        return request.take(
                join -> presence.join(call.socketId(), join.room, join.user, join.profile, join.focus),
                messages::joined);
    }

    private record Heartbeat(RoomId room, UserId user) {}

    private CompletionStage<Answer<Map<String, Object>>> heartbeat(Call call, Payload payload) {
        Answer<Heartbeat> request =
                call.room(payload).flatMap(room -> call.user(payload).map(user -> new Heartbeat(room, user)));
        return request.take(beat -> presence.heartbeat(call.socketId(), beat.room, beat.user), messages::heartbeat);
    }

    private record Leave(RoomId room, UserId user, boolean everywhere) {}

    private CompletionStage<Answer<Map<String, Object>>> leave(Call call, Payload payload) {
        Answer<Leave> request = call.room(payload)
                .flatMap(room -> payload.everywhere()
                        .flatMap(everywhere -> call.user(payload).map(user -> new Leave(room, user, everywhere))));
        return request.take(
                leave -> presence.leave(call.socketId(), leave.room, leave.user, leave.everywhere), messages::left);
    }

    private record Look(RoomId room, int limit, Optional<Position> after) {}

    private CompletionStage<Answer<Map<String, Object>>> list(Call call, Payload payload) {
        Answer<Look> request = call.room(payload)
                .flatMap(room ->
                        payload.limit().flatMap(limit -> payload.cursor().map(after -> new Look(room, limit, after))));
        return request.take(
                look -> presence.list(call.socketId(), look.room, look.after.orElse(null), look.limit),
                messages::listing);
    }

    private CompletionStage<Answer<Map<String, Object>>> focus(Call call, Payload payload) {
        SocketId socket = call.socketId();
        return glance(call, payload)
                .take(
                        glance -> presence.inOrder(socket, glance.user, () -> users.focus(socket, glance.room)),
                        PresenceMessages::focused);
    }

    private CompletionStage<Answer<Map<String, Object>>> blur(Call call, Payload payload) {
        SocketId socket = call.socketId();
        return glance(call, payload)
                .take(
                        glance -> presence.inOrder(socket, glance.user, () -> users.blur(socket, glance.room)),
                        PresenceMessages::blurred);
    }

    private record Glance(RoomId room, UserId user) {}

    private static Answer<Glance> glance(Call call, Payload payload) {
        return call.room(payload).flatMap(room -> call.user(payload).map(user -> new Glance(room, user)));
    }

    private record Question(List<RoomId> rooms, UserId user) {}

    private CompletionStage<Answer<Map<String, Object>>> unread(Call call, Payload payload) {
        Answer<Question> request = payload.roomIds()
                .flatMap(call::permitted)
                .flatMap(rooms -> call.user(payload).map(user -> new Question(rooms, user)));
        return request.take(
                question -> presence.inOrder(
                        call.socketId(), question.user, () -> users.unread(question.user, question.rooms)),
                PresenceMessages::unread);
    }
}
