package io.hadir.redis.user;

import static io.hadir.redis.store.RoomScripts.number;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.user.Delivery;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.UserStatus;
import io.hadir.presence.user.UserStore;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisFailure;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.hadir.redis.store.RedisRoomFeed;
import io.hadir.redis.store.UserScripts;
import io.lettuce.core.GetExArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Users in Redis: every change is one script, and all keys of a user are in one slot. */
public final class RedisUserStore implements UserStore {
    private static final Script WATCH = Script.plain("watch-users");
    private static final Script COUNT_MESSAGE = Script.ofUser("count-message");
    private static final Script CLEAR_UNREAD = Script.ofUser("clear-unread");
    private static final Script DISCONNECT = Script.ofUser("disconnect-user");
    private static final Script BLUR = Script.ofUser("blur-user");
    private static final Script LIST_UNREAD = Script.ofUser("list-unread");
    /** The field of the record with rooms instead of a socket. */
    private static final String ROOMS = "rooms";
    /** How many words come before the rooms: in that field, and in one of a socket. */
    private static final int BEFORE_ROOMS = 1;

    private static final int BEFORE_SOCKETS_ROOMS = 3;
    private static final String ROOMS_AT_ONCE = "500";
    private static final long MAX_COUNT = (1L << 53) - 1;
    private static final int WATCHED_AT_ONCE = 50;
    private static final int RENEWED_AT_ONCE = 50;
    private static final String OK = "OK";
    /** Each report sets the TTL, of 90 days, anew. */
    private static final SetArgs SEEN_AGAIN = SetArgs.Builder.xx().keepttl();

    private final RedisLink link;
    private final RedisRoomFeed feed;
    private final UserScripts scripts;
    private final RedisKeys keys;
    private final String self;
    private final GetExArgs onlineAgain;
    private final String watchLife;

    public RedisUserStore(RedisLink link, RedisRoomFeed feed, UserScripts scripts, String self, UserSettings settings) {
        this.link = link;
        this.feed = feed;
        this.scripts = scripts;
        this.keys = scripts.keys();
        this.self = self;
        this.onlineAgain = GetExArgs.Builder.px(settings.online());
        this.watchLife = Long.toString(settings.watched().toMillis());
    }

    @Override
    public boolean isAvailable() {
        return link.isUp();
    }

    @Override
    public CompletionStage<Optional<UserUpdate.Outcome>> update(UserUpdate update) {
        return scripts.update(update);
    }

    @Override
    public CompletionStage<Map<UserId, Renewed>> renew(List<Renewal> users) {
        Map<UserId, Renewed> outcomes = new ConcurrentHashMap<>();
        return Stages.all(keys.together(users, renewal -> renewal.user().encoded(), RENEWED_AT_ONCE).stream()
                        .map(group -> renew(group, outcomes))
                        .toList())
                .handle((done, failed) -> outcomes);
    }

    /** Renews users of one slot, and adds the outcomes of those for whom Redis answered. Other masters may be away. */
    private CompletionStage<Void> renew(List<Renewal> users, Map<UserId, Renewed> outcomes) {
        return link.time(keys.online(users.get(0).user()))
                .thenCompose(now -> renew(users, Long.toString(now.toEpochMilli()), outcomes));
    }

    private CompletionStage<Void> renew(List<Renewal> users, String now, Map<UserId, Renewed> outcomes) {
        return link.write(keys.online(users.get(0).user()), redis -> {
            List<CompletionStage<?>> all = new ArrayList<>(users.size());
            for (Renewal one : users) {
                all.add(renew(redis, one, now)
                        .exceptionallyCompose(failed -> RedisFailure.isWrongType(failed)
                                ? CompletableFuture.completedFuture(false)
                                : CompletableFuture.failedFuture(failed))
                        .thenAccept(
                                unchanged -> outcomes.put(one.user(), unchanged ? Renewed.RENEWED : Renewed.CHANGED)));
            }
            return Stages.all(all);
        });
    }

    /**
     * Renews a user by plain commands, which cost Redis a fraction of a script. Completes with whether the user's keys
     * have the values that this node expects, and the record has its sockets: a demand to disconnect one deletes it
     * there.
     */
    private CompletionStage<Boolean> renew(
            RedisClusterAsyncCommands<String, String> redis, Renewal renewal, String now) {
        UserId user = renewal.user();
        RoomId room = renewal.room();
        Comparison found = new Comparison();
        if (!renewal.sockets().isEmpty()) {
            String[] sockets = renewal.sockets().stream().map(SocketId::value).toArray(String[]::new);
            found.expect(
                    redis.hmget(keys.record(user), sockets),
                    recorded -> recorded.stream().allMatch(Value::hasValue));
        }
        found.expect(redis.getex(keys.online(user), onlineAgain), "true"::equals);
        if (room == null) {
            // This node has no focus to report, so a stored one may belong to a dead node's socket.
            found.expect(redis.exists(keys.activeRoom(user)), there -> there == 0);
        } else {
            found.expect(redis.getex(keys.activeRoom(user), onlineAgain), room.value()::equals);
        }
        // A full Redis refuses this write alone.
        found.expect(redis.set(keys.lastSeen(user), now, SEEN_AGAIN).exceptionally(full -> OK), OK::equals);
        return found.result();
    }

    /** Whether several answers are as expected. */
    private static final class Comparison {
        private final CompletableFuture<Boolean> result = new CompletableFuture<>();
        private final AtomicInteger open = new AtomicInteger(1);
        private volatile boolean same = true;
        private volatile @Nullable Throwable failure;

        <T> void expect(CompletionStage<T> answer, Predicate<@Nullable T> expected) {
            open.incrementAndGet();
            answer.whenComplete((value, failed) -> {
                if (failed != null) {
                    failure = failed;
                } else if (!expected.test(value)) {
                    same = false;
                }
                close();
            });
        }

        /** Completes when all answers are there. */
        CompletionStage<Boolean> result() {
            close();
            return result;
        }

        private void close() {
            if (open.decrementAndGet() > 0) {
                return;
            }
            Throwable failed = failure;
            if (failed == null) {
                result.complete(same);
            } else {
                result.completeExceptionally(failed);
            }
        }
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
    public CompletionStage<List<SocketMessage.Online>> watch(List<UserId> users) {
        Map<UserId, SocketMessage.Online> found = new ConcurrentHashMap<>();
        List<CompletionStage<?>> groups = new ArrayList<>();
        for (List<UserId> group : keys.together(users, UserId::encoded, WATCHED_AT_ONCE)) {
            groups.add(watch(group, true).thenAccept(answer -> {
                for (int i = 0; i < group.size(); i++) {
                    long seen = count((String) answer.get(2 * i + 1));
                    found.put(
                            group.get(i),
                            new SocketMessage.Online(
                                    group.get(i),
                                    number(answer.get(2 * i)) == 1,
                                    seen == 0 ? null : Instant.ofEpochMilli(seen)));
                }
            }));
        }
        // In a cluster, a master that is away affects only its own users.
        return Stages.all(groups)
                .exceptionallyCompose(failed -> found.isEmpty()
                        ? CompletableFuture.failedFuture(failed)
                        : CompletableFuture.completedFuture(null))
                .thenApply(done ->
                        users.stream().map(found::get).filter(Objects::nonNull).toList());
    }

    @Override
    public CompletionStage<Void> unwatch(Collection<UserId> users) {
        return Stages.all(keys.together(List.copyOf(users), UserId::encoded, WATCHED_AT_ONCE).stream()
                .map(group -> watch(group, false).thenAccept(done -> {}))
                .toList());
    }

    /** Registers this node as a watcher of users of one slot, or no longer, and reads their status. */
    private CompletionStage<List<Object>> watch(List<UserId> users, boolean hear) {
        List<String> names = new ArrayList<>();
        for (UserId user : users) {
            names.addAll(keys.whole(keys.watchers(user), keys.online(user), keys.lastSeen(user), keys.nothing(user)));
        }
        List<String> arguments =
                List.of(Integer.toString(names.size() / users.size()), self, watchLife, hear ? "1" : "0");
        return link.write(
                names.get(0), redis -> WATCH.<List<Object>>run(redis, ScriptOutputType.MULTI, names, arguments));
    }

    @Override
    public CompletionStage<Set<RoomId>> rooms(UserId user) {
        return link.read(keys.record(user), redis -> redis.hgetall(keys.record(user)))
                .exceptionallyCompose(failed -> RedisFailure.isWrongType(failed)
                        ? CompletableFuture.completedFuture(Map.of())
                        : CompletableFuture.failedFuture(failed))
                .thenCompose(fields -> {
                    List<RoomId> hints = fields.entrySet().stream()
                            .flatMap(field -> rooms(field.getKey(), field.getValue()))
                            .distinct()
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

    /** The rooms in a field of the record. */
    private static Stream<RoomId> rooms(String name, String value) {
        return Stream.of(value.split(" ", -1))
                .skip(name.equals(ROOMS) ? BEFORE_ROOMS : BEFORE_SOCKETS_ROOMS)
                .flatMap(room -> RoomId.decode(room).stream());
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
        return scripts.run(LIST_UNREAD, user, own).thenCompose(answer -> {
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
        return scripts.runOnly(CLEAR_UNREAD, user, List.of(room.encoded()));
    }

    @Override
    public CompletionStage<Counted> count(RoomId room, UserId user) {
        return scripts.run(COUNT_MESSAGE, user, List.of(room.encoded())).thenApply(answer -> {
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
        return scripts.run(DISCONNECT, user, own)
                .thenApply(answer -> new Disconnected(
                        (int) number(answer.get(0)),
                        revocation == null ? null : Instant.ofEpochMilli(number(answer.get(1)))));
    }

    @Override
    public CompletionStage<Void> blur(RoomId room, UserId user) {
        return scripts.runOnly(BLUR, user, List.of(room.encoded()));
    }

    @Override
    public void listen(Listener listener) {
        feed.listenPlain(RedisKeys.users(self), message -> UserMessage.dispatch(message, listener), listener::resumed);
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
        return count(value.getValueOrElse(""));
    }

    private static long count(String text) {
        long count = text.matches("0*\\d{1,18}") ? Long.parseLong(text) : 0;
        return count <= MAX_COUNT ? count : 0;
    }
}
