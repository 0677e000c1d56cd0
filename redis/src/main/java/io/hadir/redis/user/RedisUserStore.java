package io.hadir.redis.user;

import static io.hadir.redis.store.RoomScripts.number;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Delivery;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.UserStatus;
import io.hadir.presence.user.UserStore;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisFailure;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.hadir.redis.store.RedisRoomFeed;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.Value;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Users in Redis: every step is one script, and all keys of a user are in one slot. */
public final class RedisUserStore implements UserStore {
    private static final Script UPDATE = Script.ofUser("update-user");
    private static final Script RENEW = Script.plain("renew-users");
    private static final Script COUNT_MESSAGE = Script.ofUser("count-message");
    private static final Script CLEAR_UNREAD = Script.ofUser("clear-unread");
    private static final Script DISCONNECT = Script.ofUser("disconnect-user");
    private static final Script BLUR = Script.ofUser("blur-user");
    private static final Script LIST_UNREAD = Script.ofUser("list-unread");
    private static final Script RECORD_ONLINE = Script.plain("record-online");
    private static final Script COUNT_ONLINE = Script.plain("count-online");
    private static final String OUT = "out";
    private static final int FIRST_SOCKET = 4;
    private static final String ROOMS_AT_ONCE = "500";
    private static final long MAX_COUNT = (1L << 53) - 1;
    private static final int USERS_AT_ONCE = 500;
    private static final int RENEWED_AT_ONCE = 50;

    private final RedisLink link;
    private final RedisRoomFeed feed;
    private final RedisKeys keys;
    private final String self;
    private final UserSettings settings;

    public RedisUserStore(RedisLink link, RedisRoomFeed feed, String self, UserSettings settings) {
        this.link = link;
        this.feed = feed;
        this.keys = new RedisKeys(link.isCluster());
        this.self = self;
        this.settings = settings;
    }

    @Override
    public boolean isAvailable() {
        return link.isUp();
    }

    @Override
    public CompletionStage<Optional<Updated>> update(
            UserId user, List<SocketState> sockets, Collection<RoomId> seats, int most, Map<String, Instant> gone) {
        StringBuilder nodes = new StringBuilder();
        gone.forEach((node, at) ->
                nodes.append(node).append(' ').append(at.toEpochMilli()).append(' '));
        List<String> own =
                new ArrayList<>(List.of(Integer.toString(most), nodes.toString(), Integer.toString(sockets.size())));
        for (SocketState socket : sockets) {
            own.add(socket.socket().value());
            own.add(Long.toString(socket.turn()));
            own.add(socket.here() ? "here" : "gone");
            own.add(socket.room() == null ? "" : socket.room().encoded());
            own.add(Long.toString(socket.since()));
            own.add(socket.issued() == null ? "" : Long.toString(socket.issued().toEpochMilli()));
        }
        seats.forEach(seat -> own.add(seat.encoded()));
        return link.write(
                        keys.online(user),
                        redis -> this.<List<Object>>run(redis, UPDATE, ScriptOutputType.MULTI, user, own))
                .thenApply(answer -> {
                    if (answer.get(0).equals("full")) {
                        return Optional.empty();
                    }
                    return Optional.of(updated(answer, sockets));
                });
    }

    private static Updated updated(List<Object> answer, List<SocketState> sockets) {
        List<Long> since = new ArrayList<>();
        Map<SocketId, String> toDisconnect = new HashMap<>();
        for (int i = 0; i < sockets.size(); i++) {
            String said = (String) answer.get(FIRST_SOCKET + i);
            boolean closing = said.startsWith(OUT);
            if (closing) {
                toDisconnect.put(sockets.get(i).socket(), said.substring(OUT.length()));
            }
            since.add(closing ? 0 : number(said));
        }
        Instant revoked = Instant.ofEpochMilli(number(answer.get(3)));
        return new Updated(number(answer.get(1)), answer.get(2).equals("1"), since, toDisconnect, revoked);
    }

    @Override
    public CompletionStage<Map<UserId, Updated>> renew(List<Renewal> users) {
        Map<UserId, Updated> renewed = new ConcurrentHashMap<>();
        List<CompletionStage<?>> groups = new ArrayList<>();
        for (List<Renewal> group :
                keys.together(users, renewal -> renewal.user().encoded(), RENEWED_AT_ONCE)) {
            groups.add(renewTogether(group).thenAccept(renewed::putAll).exceptionally(failed -> null));
        }
        return Stages.all(groups).thenApply(done -> renewed);
    }

    private CompletionStage<Map<UserId, Updated>> renewTogether(List<Renewal> users) {
        List<String> names = new ArrayList<>();
        List<String> own = new ArrayList<>();
        for (Renewal renewal : users) {
            UserId user = renewal.user();
            SocketState socket = renewal.socket();
            RoomId room = socket.room();
            names.addAll(keys.whole(
                    keys.sockets(user),
                    keys.online(user),
                    keys.activeRoom(user),
                    keys.lastSeen(user),
                    keys.rooms(user),
                    room == null ? keys.nothing(user) : keys.unread(room, user),
                    keys.nothing(user)));
            own.add(socket.socket().value());
            own.add(socket.turn() + " " + socket.since());
            own.add(room == null ? "" : room.encoded());
            own.add(Integer.toString(renewal.seats().size()));
            renewal.seats().forEach(seat -> own.add(seat.encoded()));
        }
        List<String> arguments = new ArrayList<>(List.of(
                Integer.toString(names.size() / users.size()),
                Long.toString(settings.online().toMillis()),
                Long.toString(settings.rooms().toMillis())));
        arguments.addAll(own);
        return link.write(
                        names.get(0), redis -> RENEW.<List<Object>>run(redis, ScriptOutputType.MULTI, names, arguments))
                .thenApply(answer -> {
                    Map<UserId, Updated> renewed = new HashMap<>();
                    for (int i = 0; i < users.size(); i++) {
                        if (answer.get(i + 1).equals("1")) {
                            Renewal renewal = users.get(i);
                            List<Long> since = List.of(renewal.socket().since());
                            renewed.put(renewal.user(), new Updated(number(answer.get(0)), true, since));
                        }
                    }
                    return renewed;
                });
    }

    @Override
    public CompletionStage<List<UserStatus>> status(List<UserId> users) {
        return each(
                users,
                user -> link.read(
                                keys.online(user),
                                redis -> redis.mget(keys.online(user), keys.activeRoom(user), keys.lastSeen(user)))
                        .thenApply(values -> {
                            boolean online = values.get(0).hasValue();
                            RoomId room = online ? room(values.get(1).getValueOrElse("")) : null;
                            long seen = count(values.get(2));
                            return new UserStatus(user, online, room, seen == 0 ? null : Instant.ofEpochMilli(seen));
                        }));
    }

    @Override
    public CompletionStage<Set<RoomId>> rooms(UserId user) {
        return link.read(keys.rooms(user), redis -> redis.zrange(keys.rooms(user), 0, -1))
                .exceptionallyCompose(failed -> RedisFailure.isWrongType(failed)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failed))
                .thenCompose(names -> {
                    List<RoomId> hints = names.stream()
                            .flatMap(name -> RoomId.decode(name).stream())
                            .toList();
                    return each(hints, room -> alive(new Seat(room, user))).thenApply(alive -> {
                        Set<RoomId> rooms = new HashSet<>();
                        for (int i = 0; i < hints.size(); i++) {
                            if (alive.get(i) == 1) {
                                rooms.add(hints.get(i));
                            }
                        }
                        return rooms;
                    });
                });
    }

    private CompletionStage<Long> alive(Seat seat) {
        String key = keys.presence(seat);
        return link.read(key, redis -> redis.exists(key));
    }

    @Override
    public CompletionStage<Map<RoomId, Long>> unread(UserId user) {
        return unreadFrom(user, "0", new HashMap<>());
    }

    private CompletionStage<Map<RoomId, Long>> unreadFrom(UserId user, String cursor, Map<RoomId, Long> found) {
        List<String> own = List.of(cursor, ROOMS_AT_ONCE);
        return link.write(
                        keys.online(user),
                        redis -> this.<List<Object>>run(redis, LIST_UNREAD, ScriptOutputType.MULTI, user, own))
                .thenCompose(answer -> {
                    for (int i = 1; i < answer.size(); i += 2) {
                        long count = number(answer.get(i + 1));
                        RoomId.decode((String) answer.get(i)).ifPresent(room -> found.put(room, count));
                    }
                    String next = (String) answer.get(0);
                    return next.equals("0") ? CompletableFuture.completedFuture(found) : unreadFrom(user, next, found);
                });
    }

    @Override
    public CompletionStage<Map<RoomId, Long>> unread(UserId user, List<RoomId> rooms) {
        if (rooms.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        String[] counters = rooms.stream().map(room -> keys.unread(room, user)).toArray(String[]::new);
        // On the connection for writes, so it sees what the user has just done.
        return link.write(keys.online(user), redis -> redis.mget(counters)).thenApply(values -> {
            Map<RoomId, Long> unread = new LinkedHashMap<>();
            for (int i = 0; i < rooms.size(); i++) {
                unread.put(rooms.get(i), count(values.get(i)));
            }
            return unread;
        });
    }

    @Override
    public CompletionStage<Void> clearUnread(RoomId room, UserId user) {
        List<String> own = List.of(room.encoded());
        return link.write(
                        keys.online(user),
                        redis -> this.<Object>run(redis, CLEAR_UNREAD, ScriptOutputType.VALUE, user, own))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Counted> count(RoomId room, UserId user) {
        List<String> own = List.of(room.encoded());
        return link.write(
                        keys.online(user),
                        redis -> this.<List<Object>>run(redis, COUNT_MESSAGE, ScriptOutputType.MULTI, user, own))
                .thenApply(answer -> {
                    Set<String> nodes = new HashSet<>();
                    answer.subList(3, answer.size()).forEach(node -> nodes.add((String) node));
                    boolean online = answer.get(0).equals("1");
                    boolean counted = answer.get(2).equals("1");
                    return new Counted(new Delivery(user, number(answer.get(1)), online, counted), nodes);
                });
    }

    @Override
    public void notify(String node, News news) {
        String message = UserMessage.write(news);
        link.write(redis -> redis.publish(RedisKeys.users(node), message));
    }

    @Override
    public CompletionStage<Disconnected> disconnect(
            UserId user, @Nullable String message, @Nullable Duration revocation) {
        List<String> own =
                List.of(message == null ? "" : message, revocation == null ? "" : Long.toString(revocation.toMillis()));
        return link.write(
                        keys.online(user),
                        redis -> this.<List<Object>>run(redis, DISCONNECT, ScriptOutputType.MULTI, user, own))
                .thenApply(answer -> new Disconnected(
                        (int) number(answer.get(0)),
                        revocation == null ? null : Instant.ofEpochMilli(number(answer.get(1)))));
    }

    @Override
    public CompletionStage<Void> blur(RoomId room, UserId user) {
        List<String> own = List.of(room.encoded());
        return link.write(keys.online(user), redis -> this.<Object>run(redis, BLUR, ScriptOutputType.VALUE, user, own))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Long> online() {
        List<String> key = List.of(RedisKeys.ONLINE_USERS);
        return link.read(
                RedisKeys.ONLINE_USERS, redis -> COUNT_ONLINE.run(redis, ScriptOutputType.INTEGER, key, List.of()));
    }

    @Override
    public CompletionStage<Void> countOnline(Map<UserId, Updated> users) {
        List<Map.Entry<UserId, Updated>> all = List.copyOf(users.entrySet());
        List<CompletionStage<?>> counted = new ArrayList<>();
        for (int i = 0; i < all.size(); i += USERS_AT_ONCE) {
            List<String> own =
                    new ArrayList<>(List.of(Long.toString(settings.online().toMillis())));
            for (Map.Entry<UserId, Updated> user : all.subList(i, Math.min(i + USERS_AT_ONCE, all.size()))) {
                own.add(user.getKey().encoded());
                own.add(Long.toString(user.getValue().at()));
                own.add(user.getValue().online() ? "1" : "0");
            }
            List<String> key = List.of(RedisKeys.ONLINE_USERS);
            counted.add(link.write(
                    RedisKeys.ONLINE_USERS,
                    redis -> RECORD_ONLINE.<Object>run(redis, ScriptOutputType.VALUE, key, own)));
        }
        return Stages.all(counted);
    }

    @Override
    public void listen(Listener listener) {
        feed.listenPlain(RedisKeys.users(self), message -> UserMessage.dispatch(message, listener), listener::resumed);
    }

    private <T> CompletionStage<T> run(
            RedisClusterAsyncCommands<String, String> redis,
            Script script,
            ScriptOutputType type,
            UserId user,
            List<String> own) {
        List<String> names = keys.whole(
                keys.sockets(user),
                keys.online(user),
                keys.activeRoom(user),
                keys.lastSeen(user),
                keys.unreadRooms(user),
                keys.rooms(user),
                keys.revoked(user),
                keys.nothing(user));
        List<String> arguments = new ArrayList<>(List.of(
                user.value(),
                keys.unread(user),
                Long.toString(settings.online().toMillis()),
                Long.toString(settings.rooms().toMillis())));
        arguments.addAll(own);
        return script.run(redis, type, names, arguments);
    }

    /** Runs a step for all items at once; the answers are in the order of the items. */
    private static <T, R> CompletionStage<List<R>> each(List<T> items, Function<T, CompletionStage<R>> step) {
        List<CompletableFuture<R>> taken = items.stream()
                .map(item -> step.apply(item).toCompletableFuture())
                .toList();
        return Stages.all(taken)
                .thenApply(done -> taken.stream().map(CompletableFuture::join).toList());
    }

    private static @Nullable RoomId room(String name) {
        return RoomId.parse(name).toOptional().orElse(null);
    }

    /** The value of a counter; 0 for a value that is no count, as in the scripts. */
    private static long count(Value<String> value) {
        String text = value.getValueOrElse("");
        long count = text.matches("0*\\d{1,18}") ? Long.parseLong(text) : 0;
        return count <= MAX_COUNT ? count : 0;
    }
}
