package io.hadir.server.events;

import io.hadir.presence.Presence;
import io.hadir.presence.node.Node;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing.PageStart;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Users;
import io.hadir.server.limit.Buckets;
import io.hadir.server.wire.ParticipantsJson;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import io.hadir.socketio.Ack;
import io.hadir.socketio.Admission;
import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.Handshake;
import io.hadir.socketio.Socket;
import io.hadir.socketio.SocketListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/** Handles the Socket.IO events of clients: reads each, takes one step of presence, and answers with the result. */
public final class PresenceEvents implements SocketListener {
    private static final PresenceError UNKNOWN_EVENT =
            PresenceError.of(ErrorCode.NOT_FOUND, "This server does not know that event.");

    /** After a second the whole limit is available again, not only room for one event. */
    private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);

    static final String NEWS = "room:presence";
    private static final String LIST = "room:participants";

    private final Node node;
    private final Presence presence;
    private final Users users;
    private final Gate gate;
    private final Buckets<UserId> budgets;
    private final PresenceSettings settings;

    /** The list in the latest answer to a join. Answers in a burst share it. */
    private volatile ParticipantsJson listed = ParticipantsJson.of(List.of());

    /** @param budgets the events that each user may send from all their sockets on this node together */
    public PresenceEvents(Node node, Gate gate, Buckets<UserId> budgets, PresenceSettings settings) {
        this.node = node;
        this.presence = node.presence();
        this.users = node.users();
        this.gate = gate;
        this.budgets = budgets;
        this.settings = settings;
    }

    public Node node() {
        return node;
    }

    @Override
    public CompletionStage<Admission> connecting(Handshake handshake) {
        return gate.admit(handshake).thenCompose(admission -> register(handshake, admission, Duration.ZERO));
    }

    /**
     * Admits or refuses a socket behind a trunk. If the app gives the socket up meanwhile, {@link #abandoned} follows.
     *
     * @param age how long the client has been connected to its app
     */
    public CompletionStage<Admission> connecting(Handshake handshake, Vouched vouched, Duration age) {
        return register(handshake, Admission.accepted(new Identity(vouched)), age);
    }

    /** Refuses a client whose user has too many sockets, or whose token is revoked. */
    private CompletionStage<Admission> register(Handshake handshake, Admission admission, Duration age) {
        if (!(admission.attachment() instanceof Identity identity)
                || identity.user().isEmpty()) {
            return CompletableFuture.completedFuture(admission);
        }
        UserId user = identity.user().get();
        // A connect counts as an event, but the limit never refuses it: stock clients do not reconnect after a refusal.
        budgets.charge(user, 1, System.nanoTime());
        SocketId id = new SocketId(handshake.socketId());
        Optional<Instant> issued = identity.token().map(Gate::issued);
        CompletionStage<Answer<UserId>> registered = identity.isVouched()
                ? users.connectBehindApp(id, user, age, identity.hasMoved())
                : users.connect(id, user, issued.orElse(null));
        return registered.thenApply(answer ->
                answer instanceof Answer.Refused<UserId> refused ? gate.refuseKnown(refused.error()) : admission);
    }

    @Override
    public void abandoned(Handshake handshake) {
        users.abandoned(new SocketId(handshake.socketId()));
    }

    @Override
    public void connected(Socket socket) {
        connected(socket, List.of());
    }

    /**
     * A socket has connected.
     *
     * @param rooms if it has moved here, the rooms that it was in, each as {@link #takeOver} gets it next
     */
    public void connected(Socket socket, Collection<JsonNode> rooms) {
        Identity identity = Identity.of(socket);
        gate.watch(socket, identity);
        UserId proven = identity.proven().orElse(null);
        SocketId id = new SocketId(socket.id());
        if (identity.hasMoved()) {
            presence.move(id, proven, identity.permitted(), awaited(identity, rooms));
        } else {
            presence.connect(id, proven, identity.permitted());
        }
        users.connected(id);
    }

    private List<RoomId> awaited(Identity identity, Collection<JsonNode> rooms) {
        List<RoomId> awaited = new ArrayList<>(rooms.size());
        identity.user().ifPresent(user -> {
            for (JsonNode room : rooms) {
                try {
                    awaited.add(former(room, identity, user, Duration.ZERO).id());
                } catch (RefusedException invalid) {
                    // It will not be taken over either.
                }
            }
        });
        return awaited;
    }

    /** A room that a socket was in before it moved here. */
    private record FormerRoom(RoomId id, boolean restored, Profile profile, Presence.Moved moved) {}

    private FormerRoom former(JsonNode room, Identity identity, UserId user, Duration heardAgo)
            throws RefusedException {
        Payload payload = new Payload(room);
        Presence.Moved moved = new Presence.Moved(
                payload.flag("focus", false),
                payload.flag("paused", false),
                payload.revision("revision"),
                payload.revision("heard"),
                heardAgo);
        return new FormerRoom(
                payload.roomId(), payload.flag("restored", false), profile(payload, identity, user), moved);
    }

    /**
     * Puts a socket that moved here back into a room it was in. The client gets no answer, but a message from which it
     * learns whether it missed a change.
     *
     * @param room as in a join, with the revision of its answer and the latest that the client may know of
     * @param heardAgo how long ago the app last heard of a node for certain
     * @return false if presence is unavailable, and this has to be repeated
     */
    public CompletionStage<Boolean> takeOver(Socket socket, JsonNode room, Duration heardAgo) {
        Identity identity = Identity.of(socket);
        UserId user = identity.user().orElse(null);
        if (user == null) {
            return CompletableFuture.completedFuture(true);
        }
        SocketId id = new SocketId(socket.id());
        try {
            FormerRoom former = former(room, identity, user, heardAgo);
            if (former.restored()) {
                return presence.restore(id, former.id(), user);
            }
            return presence.takeOver(id, former.id(), user, former.profile(), former.moved())
                    .thenApply(answer -> {
                        if (answer instanceof Answer.Ok<JoinedRoom> ok) {
                            socket.emit(NEWS, PresenceMessages.RoomPresence.unchanged(ok.value()));
                        }
                        return !answer.isUnavailable();
                    });
        } catch (RefusedException invalid) {
            return CompletableFuture.completedFuture(true);
        }
    }

    /**
     * A client left a room or closed its connection while its app had no trunk.
     *
     * @return false if presence is unavailable, and this has to be repeated
     */
    public CompletionStage<Boolean> departed(JsonNode about) throws RefusedException {
        Payload payload = new Payload(about);
        RoomId room = payload.roomId();
        UserId user = payload.user("userId");
        return presence.departed(payload.socketId(), room, user, payload.flag("left", false));
    }

    @Override
    public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
        answer(socket, name, arguments, ack);
    }

    /** Whether Redis has answered something in the last moment. If not, an event has to wait for its refusal. */
    public boolean isAnswering() {
        return presence.isAnswering();
    }

    /** Handles an event; completes once it is answered. */
    public CompletionStage<?> answer(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
        Call call = new Call(socket, name, Payload.of(arguments), ack);
        return switch (name) {
            case "join_room" -> call.answer("room:joined", this::join);
            case "room:heartbeat" -> call.answer("room:heartbeat:ack", this::heartbeat);
            case "leave_room" -> call.answer("room:left", this::leave);
            case LIST -> call.answer(LIST, this::list);
            case "room:update" -> call.answer(null, this::update);
            case "room:pause" -> call.answer(null, this::pause);
            case "room:resume" -> call.answer(null, this::resume);
            case "room:focus" -> call.answer(null, this::focus);
            case "room:blur" -> call.answer(null, this::blur);
            case "unread" -> call.answer(null, this::unread);
            case "rooms:watch" -> call.answer("rooms:counts", this::watchRooms);
            case "users:watch" -> call.answer("users:status", this::watchUsers);
            case Gate.REFRESH -> refresh(call);
            default -> call.answer(null, unknown -> CompletableFuture.completedFuture(Answer.refused(UNKNOWN_EVENT)));
        };
    }

    /** A page of 1000 participants costs as much as ten pages of 100, and so do 1000 ids. */
    @Override
    public int cost(String name, JsonNode payload) {
        int ids =
                Math.max(payload.path("roomIds").size(), payload.path("userIds").size());
        int limit = name.equals(LIST) ? payload.path("limit").asInt(1) : ids;
        return 1 + (Math.max(1, Math.min(limit, Payload.LARGEST_PAGE)) - 1) / Payload.USUAL_PAGE;
    }

    @Override
    public long takeShared(Socket socket, int cost, long nowNanos) {
        Optional<UserId> user = Identity.of(socket).user();
        return user.isEmpty() ? 0 : budgets.take(user.get(), cost, nowNanos);
    }

    @Override
    public void limited(Socket socket, String name, Ack ack, Duration wait) {
        new Call(socket, name, Payload.of(List.of()), ack).refuse(tooMany(wait));
    }

    @Override
    public CompletionStage<?> flooded(Socket socket) {
        return presence.settled(new SocketId(socket.id()));
    }

    private static PresenceError tooMany(Duration wait) {
        return new PresenceError(
                ErrorCode.RATE_LIMITED,
                "This socket, or all sockets of its user together, sent too many events.",
                null,
                wait.compareTo(SHORTEST_WAIT) > 0 ? wait : SHORTEST_WAIT,
                null);
    }

    @Override
    public void disconnected(Socket socket, DisconnectReason reason) {
        gate.unwatch(socket, Identity.of(socket));
        boolean mayBeAsleep = switch (reason) {
            // Also if the server closed it, as when its token expired: a sleeping phone cannot refresh its token.
            case PING_TIMEOUT, TRANSPORT_ERROR, SHUTTING_DOWN, SERVER_DISCONNECT -> true;
            case CLIENT_DISCONNECT, TRANSPORT_CLOSE, PARSE_ERROR -> false;
        };
        presence.disconnect(new SocketId(socket.id()), mayBeAsleep);
    }

    private CompletionStage<? extends Answer<?>> join(Call call) throws RefusedException {
        RoomId room = call.room();
        boolean focus = call.payload().flag("focus", true);
        UserId user = call.user();
        Profile profile = profile(call.payload(), call.identity(), user);
        return presence.join(call.socketId(), room, user, profile, focus)
                .thenApply(answer -> answer.map(joined -> {
                    ParticipantsJson participants =
                            listed.orOf(joined.listing().page().participants());
                    listed = participants;
                    return PresenceMessages.Joined.of(joined, participants, settings, false);
                }));
    }

    private Profile profile(Payload payload, Identity identity, UserId user) throws RefusedException {
        return new Profile(identity.chosenName(payload, gate), identity.nameOf(user), payload.data());
    }

    private CompletionStage<? extends Answer<?>> heartbeat(Call call) throws RefusedException {
        RoomId room = call.room();
        UserId user = call.user();
        return presence.heartbeat(call.socketId(), room, user)
                .thenApply(answer -> answer.map(beat -> PresenceMessages.HeartbeatAnswer.of(beat, settings)));
    }

    private CompletionStage<? extends Answer<?>> update(Call call) throws RefusedException {
        RoomId room = call.room();
        UserId user = call.user();
        Profile profile = profile(call.payload(), call.identity(), user);
        return presence.update(call.socketId(), room, user, profile)
                .thenApply(answer -> answer.map(PresenceMessages.Accepted::of));
    }

    private CompletionStage<? extends Answer<?>> pause(Call call) throws RefusedException {
        RoomId room = call.optionalRoom();
        UserId user = call.user();
        return presence.pause(call.socketId(), user, room).thenApply(answer -> answer.map(PresenceMessages.Paused::of));
    }

    private CompletionStage<? extends Answer<?>> resume(Call call) throws RefusedException {
        RoomId room = call.optionalRoom();
        UserId user = call.user();
        return presence.resume(call.socketId(), user, room)
                .thenApply(answer -> answer.map(ttls -> PresenceMessages.Resumed.of(ttls, Instant.now())));
    }

    private CompletionStage<? extends Answer<?>> leave(Call call) throws RefusedException {
        RoomId room = call.room();
        boolean everywhere = call.payload().flag("everywhere", false);
        UserId user = call.user();
        return presence.leave(call.socketId(), room, user, everywhere)
                .thenApply(answer -> answer.map(PresenceMessages.Accepted::of));
    }

    private CompletionStage<? extends Answer<?>> list(Call call) throws RefusedException {
        RoomId room = call.room();
        int limit = call.payload().limit();
        PageStart start = call.payload().cursor();
        return presence.list(call.socketId(), room, start, limit)
                .thenApply(answer -> answer.map(PresenceMessages.ListAnswer::of));
    }

    private CompletionStage<? extends Answer<?>> focus(Call call) throws RefusedException {
        RoomId room = call.room();
        UserId user = call.user();
        SocketId socket = call.socketId();
        return presence.inOrder(socket, user, () -> users.focus(socket, room))
                .thenApply(answer -> answer.map(PresenceMessages.Focused::of));
    }

    private CompletionStage<? extends Answer<?>> blur(Call call) throws RefusedException {
        RoomId room = call.room();
        UserId user = call.user();
        SocketId socket = call.socketId();
        return presence.inOrder(socket, user, () -> users.blur(socket, room))
                .thenApply(answer -> answer.map(PresenceMessages.Accepted::of));
    }

    private CompletionStage<? extends Answer<?>> unread(Call call) throws RefusedException {
        List<RoomId> rooms = call.rooms();
        UserId user = call.user();
        return presence.inOrder(call.socketId(), user, () -> users.unread(user, rooms))
                .thenApply(answer -> answer.map(PresenceMessages.UnreadByRoom::of));
    }

    private CompletionStage<? extends Answer<?>> watchRooms(Call call) throws RefusedException {
        List<RoomId> rooms = call.rooms();
        return presence.watch(call.socketId(), rooms).thenApply(answer -> answer.map(PresenceMessages.Counts::answer));
    }

    private CompletionStage<? extends Answer<?>> watchUsers(Call call) throws RefusedException {
        List<UserId> contacts = call.contacts();
        SocketId socket = call.socketId();
        return presence.inOrder(socket, () -> users.watch(socket, contacts))
                .thenApply(answer -> answer.map(PresenceMessages.Statuses::answer));
    }

    /** Answers first, because a socket that loses its last room to its new token is disconnected. */
    private CompletionStage<?> refresh(Call call) {
        SocketId id = call.socketId();
        return call.answer(
                        null,
                        refresh -> gate.refresh(
                                        call.socket(), call.payload(), token -> users.refresh(id, Gate.issued(token)))
                                .thenApply(answer -> answer.map(PresenceMessages.Refreshed::of)))
                .thenAccept(answer -> {
                    if (answer instanceof Answer.Ok) {
                        presence.restrict(id, call.identity().permitted());
                        presence.inOrder(id, () -> {
                            users.restrictContacts(id, call.identity()::mayWatch);
                            return CompletableFuture.completedFuture(answer);
                        });
                    }
                });
    }
}
