package io.hadir.redis.store;

import static io.hadir.redis.store.RoomScripts.number;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisFailure;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.hadir.redis.stats.RemovalStatistics;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Seats on Redis: each step is one script, except a heartbeat, which is one {@code EXPIRE}. */
final class RedisSeatStore implements SeatStore {
    private static final Script JOIN = Script.ofRoom("join", "room-list");
    private static final Script JOIN_AND_UPDATE = Script.of("join-and-update", UserScripts.UPDATE, JOIN);
    private static final Script LEAVE = Script.ofRoom("leave");
    private static final Script DISCONNECT = Script.ofRoom("disconnect");
    private static final Script RESTORE = Script.ofRoom("restore");
    private static final Script UPDATE = Script.ofRoom("update-participant");
    private static final Script PAUSE = Script.ofRoom("pause");
    private static final Script RESUME = Script.ofRoom("resume");
    private static final Script REMOVE = Script.ofRoom("remove-user");
    private static final Script SWEEP = Script.ofRoom("sweep", "sweep-seat");
    private static final Script CLEAN_UP = Script.ofRoom("clean-up", "sweep-seat");
    private static final Script REMEMBER = Script.plain("remember-rooms");

    private static final CompletionStage<UserUpdate.Outcome> NO_UPDATE =
            CompletableFuture.failedStage(new IllegalStateException("no update of the user"));

    /** Longer than any command can be under way. */
    private static final Duration FENCE = Duration.ofMinutes(10);

    private static final Duration MEMORY_MARGIN = Duration.ofSeconds(5);
    private static final int READ_AT_ONCE = 500;
    private static final int SWEPT_AT_ONCE = 100;
    private static final int FIRST_REMOVED = 4;

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;
    private final UserScripts users;
    private final Heartbeats heartbeats;
    private final RemovalStatistics statistics;
    private final PresenceSettings settings;
    private final PresenceObserver observer;

    RedisSeatStore(
            RedisLink link,
            RedisKeys keys,
            RoomScripts scripts,
            UserScripts users,
            RemovalStatistics statistics,
            PresenceSettings settings,
            PresenceObserver observer) {
        this.link = link;
        this.keys = keys;
        this.scripts = scripts;
        this.users = users;
        this.heartbeats = new Heartbeats(link);
        this.statistics = statistics;
        this.settings = settings;
        this.observer = observer;
    }

    @Override
    public boolean isAvailable() {
        return link.isUp();
    }

    @Override
    public boolean isAnswering() {
        return link.isAnswering();
    }

    @Override
    public CompletionStage<JoinOutcome> join(Join join) {
        Seat seat = join.seat();
        UserUpdate update = join.update();
        if (update == null || link.isCluster()) {
            return scripts.write(JOIN, seat.room(), own(join))
                    .thenApply(answer -> outcome(
                            join,
                            answer,
                            () -> update == null
                                    ? NO_UPDATE
                                    : users.update(update).thenApply(Optional::orElseThrow)));
        }
        List<String> own = own(join);
        own.addAll(users.arguments(update));
        return scripts.write(JOIN_AND_UPDATE, seat.room(), users.keysOf(update.user()), own)
                .thenApply(answers -> {
                    List<?> updated = (List<?>) answers.get(1);
                    return outcome(
                            join,
                            (List<?>) answers.get(0),
                            () -> updated.isEmpty()
                                    ? NO_UPDATE
                                    : CompletableFuture.completedFuture(UserScripts.outcome(update, updated)));
                });
    }

    /** The arguments of {@code join.lua}. */
    private static List<String> own(Join join) {
        Profile profile = join.profile();
        String name = profile.username() == null ? "" : profile.username().value();
        List<String> own =
                with(join.seat(), join.holder(), name, profile.fallback().value());
        own.addAll(RoomList.asked(join.list()));
        own.add(dataOf(profile));
        own.add(join.since() == 0 ? "" : Long.toString(join.since()));
        return own;
    }

    private JoinOutcome outcome(Join join, List<?> answer, Supplier<CompletionStage<UserUpdate.Outcome>> update) {
        Seat seat = join.seat();
        String outcome = (String) answer.get(0);
        if (outcome.equals("joined")) {
            observer.joined(seat);
            statistics.count(seat, (String) answer.get(4));
            Optional<RoomChange> change = change(seat, answer);
            if (change.orElse(null) instanceof RoomChange.Joined) {
                observer.arrived(seat);
            }
            return new JoinOutcome.Joined(
                    revision(answer),
                    rules(answer, 8),
                    (String) answer.get(6),
                    orNull(answer.get(7)),
                    change,
                    join.list() == null ? Optional.empty() : RoomList.view(join.list(), change, answer),
                    update.get());
        }
        observer.joinRefused();
        if (outcome.equals("banned")) {
            return new JoinOutcome.Banned(RedisBanStore.read(seat, answer.get(1), (String) answer.get(2)));
        }
        if (outcome.equals("removed")) {
            String message = (String) answer.get(2);
            return new JoinOutcome.Removed(
                    RemovalReason.fromWire((String) answer.get(1)).orElse(RemovalReason.KICKED),
                    message.isEmpty() ? null : message);
        }
        return outcome.equals("full") ? new JoinOutcome.Full() : new JoinOutcome.Superseded();
    }

    @Override
    public CompletionStage<Boolean> heartbeat(Seat seat, Duration ttl) {
        observer.heartbeat();
        return heartbeats.send(keys.presence(seat), ttl);
    }

    @Override
    public void sendHeartbeats() {
        heartbeats.sendNow();
    }

    @Override
    public CompletionStage<Boolean> update(Seat seat, Profile profile) {
        String name = profile.username() == null ? "" : profile.username().value();
        List<String> own = List.of(seat.user().encoded(), name, dataOf(profile));
        return scripts.writeForNumber(UPDATE, seat.room(), own).thenApply(present -> present == 1);
    }

    @Override
    public CompletionStage<Optional<Duration>> pause(Seat seat, SocketId socket) {
        return timeIfPresent(PAUSE, seat, List.of(seat.user().encoded(), socket.value(), away()));
    }

    @Override
    public CompletionStage<Optional<Duration>> resume(Seat seat, SocketId socket) {
        return timeIfPresent(RESUME, seat, List.of(seat.user().encoded(), socket.value()));
    }

    private CompletionStage<Optional<Duration>> timeIfPresent(Script script, Seat seat, List<String> own) {
        return scripts.write(script, seat.room(), own)
                .thenApply(answer -> number(answer.get(0)) == 1
                        ? Optional.of(Duration.ofMillis(number(answer.get(1))))
                        : Optional.empty());
    }

    @Override
    public CompletionStage<Optional<Duration>> remaining(Seat seat) {
        String key = keys.presence(seat);
        return link.read(key, redis -> redis.pttl(key)).thenApply(RoomList::millis);
    }

    @Override
    public CompletionStage<Keeper> keeper(Seat seat) {
        String key = keys.presence(seat);
        return link.read(key, redis -> redis.mget(key, keys.details(seat))).thenApply(values -> {
            Details details = Details.parse(values.get(1).getValueOrElse(""));
            if (!values.get(0).hasValue()) {
                return Keeper.NOTHING;
            }
            if (details == null || !details.sockets().isEmpty()) {
                return Keeper.SOCKET;
            }
            return details.held() ? Keeper.AWAY : Keeper.NOTHING;
        });
    }

    @Override
    public CompletionStage<Boolean> hasSocket(Seat seat, SocketId socket) {
        String key = keys.details(seat);
        return link.read(key, redis -> redis.mget(key)).thenApply(values -> {
            Details details = Details.parse(values.get(0).getValueOrElse(""));
            return details != null && details.sockets().contains(socket);
        });
    }

    @Override
    public CompletionStage<Void> leave(Seat seat, Holder holder, RemovalReason reason, boolean fenced) {
        return leave(seat, holder, reason, fenced, "");
    }

    @Override
    public CompletionStage<Void> undo(Seat seat, Holder holder) {
        return leave(seat, holder, RemovalReason.LEFT, true, away());
    }

    private CompletionStage<Void> leave(Seat seat, Holder holder, RemovalReason reason, boolean fenced, String away) {
        List<String> own = with(seat, holder, reason.wire(), fence(fenced), grace(), away);
        return scripts.writeForText(LEAVE, seat.room(), own).thenAccept(removed -> statistics.count(seat, removed));
    }

    @Override
    public CompletionStage<Void> disconnect(Seat seat, Holder holder, boolean fenced) {
        return disconnect(seat, holder, fenced, "0");
    }

    @Override
    public CompletionStage<Void> suspend(Seat seat, Holder holder, boolean fenced) {
        return disconnect(seat, holder, fenced, away());
    }

    private CompletionStage<Void> disconnect(Seat seat, Holder holder, boolean fenced, String away) {
        observer.disconnected(seat, holder);
        return scripts.writeForText(DISCONNECT, seat.room(), with(seat, holder, grace(), fence(fenced), away))
                .thenAccept(reason -> statistics.count(seat, reason));
    }

    @Override
    public CompletionStage<Boolean> kick(Seat seat, @Nullable String message) {
        return remove(seat, RemovalReason.KICKED, message == null ? "" : message, "", "");
    }

    @Override
    public CompletionStage<Void> leaveEverywhere(Seat seat, Holder holder) {
        String turn = Long.toString(holder.turn());
        return remove(seat, RemovalReason.LEFT, "", holder.socket().value(), turn)
                .thenAccept(removed -> {});
    }

    private CompletionStage<Boolean> remove(
            Seat seat, RemovalReason reason, String message, String socket, String turn) {
        List<String> own = List.of(seat.user().encoded(), reason.wire(), message, socket, turn, fence(true), "");
        return scripts.write(REMOVE, seat.room(), own).thenApply(answer -> {
            statistics.count(seat, (String) answer.get(2));
            return number(answer.get(0)) == 1;
        });
    }

    @Override
    public CompletionStage<Boolean> sweep(Seat seat, RemovalReason reason, Collection<SocketId> dead) {
        List<String> own = new ArrayList<>(List.of(seat.user().encoded(), reason.wire(), grace(), away()));
        dead.forEach(socket -> own.add(socket.value()));
        return scripts.writeForText(SWEEP, seat.room(), own).thenApply(removed -> {
            statistics.count(seat, removed);
            if (!removed.isEmpty()) {
                observer.swept(reason);
            }
            return !removed.isEmpty();
        });
    }

    @Override
    public CompletionStage<CleanedUp> cleanUp(RoomId room, String node, @Nullable Instant graceUntil) {
        String until = graceUntil == null ? "0" : Long.toString(graceUntil.toEpochMilli());
        return cleanUp(room, node, until, "", "", 0, new ArrayList<>());
    }

    private CompletionStage<CleanedUp> cleanUp(
            RoomId room, String node, String until, String score, String user, long removed, List<UserId> inGrace) {
        List<String> own = List.of(
                node,
                RemovalReason.SERVER_GONE.wire(),
                grace(),
                until,
                score,
                user,
                Integer.toString(READ_AT_ONCE),
                Integer.toString(SWEPT_AT_ONCE),
                away());
        return scripts.write(CLEAN_UP, room, own).thenCompose(answer -> {
            int more = (int) number(answer.get(3));
            int firstInGrace = FIRST_REMOVED + more;
            for (Object named : answer.subList(FIRST_REMOVED, firstInGrace)) {
                UserId.decode((String) named)
                        .ifPresent(gone -> statistics.count(new Seat(room, gone), RemovalReason.SERVER_GONE.wire()));
                observer.swept(RemovalReason.SERVER_GONE);
            }
            for (Object named : answer.subList(firstInGrace, answer.size())) {
                UserId.decode((String) named).ifPresent(inGrace::add);
            }
            long sum = removed + more;
            return answer.get(0).equals("1")
                    ? CompletableFuture.completedFuture(new CleanedUp(sum, inGrace))
                    : cleanUp(room, node, until, (String) answer.get(1), (String) answer.get(2), sum, inGrace);
        });
    }

    @Override
    public CompletionStage<Void> rememberRooms(UserId user, Collection<RoomId> rooms) {
        long millis = settings.grace().plus(MEMORY_MARGIN).toMillis();
        String key = keys.grace(user);
        List<String> own = new ArrayList<>(List.of(grace(), Long.toString(millis)));
        rooms.forEach(room -> own.add(room.encoded()));
        return link.write(key, redis -> REMEMBER.run(redis, ScriptOutputType.INTEGER, List.of(key), own))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Map<RoomId, Instant>> rememberedRooms(UserId user) {
        String key = keys.grace(user);
        return link.read(key, redis -> redis.zrangeWithScores(key, 0, -1))
                .thenApply(found -> {
                    Map<RoomId, Instant> rooms = new HashMap<>();
                    found.forEach(room -> RoomId.decode(room.getValue())
                            .ifPresent(id -> rooms.put(id, Instant.ofEpochMilli((long) room.getScore()))));
                    return rooms;
                })
                .exceptionallyCompose(failed -> RedisFailure.isWrongType(failed)
                        ? roomsOfVersion010(key)
                        : CompletableFuture.failedFuture(failed));
    }

    /** Version 0.1.0 remembers a set, without the ends of grace periods. They count as over. */
    private CompletionStage<Map<RoomId, Instant>> roomsOfVersion010(String key) {
        return link.read(key, redis -> redis.smembers(key)).thenApply(found -> {
            Map<RoomId, Instant> rooms = new HashMap<>();
            found.forEach(room -> RoomId.decode(room).ifPresent(id -> rooms.put(id, Instant.EPOCH)));
            return rooms;
        });
    }

    @Override
    public CompletionStage<Optional<JoinOutcome.Joined>> restore(Seat seat, Holder holder, @Nullable Instant until) {
        String heartbeat = Long.toString(settings.heartbeat().toMillis());
        String ends = until == null ? "" : Long.toString(until.toEpochMilli());
        return scripts.write(RESTORE, seat.room(), with(seat, holder, heartbeat, ends))
                .thenApply(answer -> {
                    if (!answer.get(0).equals("joined")) {
                        return Optional.empty();
                    }
                    observer.restored(seat);
                    return Optional.of(new JoinOutcome.Joined(
                            revision(answer),
                            rules(answer, 5),
                            (String) answer.get(3),
                            orNull(answer.get(4)),
                            Optional.empty(),
                            Optional.empty(),
                            NO_UPDATE));
                });
    }

    private static long revision(List<?> joined) {
        return number(joined.get(1));
    }

    private static RoomRules rules(List<?> joined, int message) {
        return new RoomRules(Duration.ofMillis(number(joined.get(2))), orNull(joined.get(message)));
    }

    /** The change that the join published; it was the last thing that the script did. */
    private static Optional<RoomChange> change(Seat seat, List<?> answer) {
        Instant joinedAt = Instant.ofEpochMilli(number(answer.get(3)));
        Participant participant = new Participant(
                seat.user(),
                (String) answer.get(6),
                joinedAt,
                joinedAt,
                Participant.State.ACTIVE,
                orNull(answer.get(7)),
                null);
        return switch ((String) answer.get(5)) {
            case "joined" -> Optional.of(new RoomChange.Joined(revision(answer), participant));
            case "updated" -> Optional.of(new RoomChange.Updated(revision(answer), participant));
            default -> Optional.empty();
        };
    }

    private static List<String> with(Seat seat, Holder holder, String... more) {
        List<String> own =
                new ArrayList<>(List.of(seat.user().encoded(), holder.socket().value(), Long.toString(holder.turn())));
        own.addAll(List.of(more));
        return own;
    }

    private String grace() {
        return Long.toString(settings.grace().toMillis());
    }

    private String away() {
        return Long.toString(settings.away().toMillis());
    }

    private static String dataOf(Profile profile) {
        return profile.data() == null ? "" : profile.data();
    }

    private static @Nullable String orNull(Object text) {
        return text.equals("") ? null : (String) text;
    }

    private static String fence(boolean fenced) {
        return fenced ? Long.toString(FENCE.toMillis()) : "0";
    }
}
