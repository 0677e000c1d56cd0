package io.hadir.redis.store;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.PresenceStore;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.hadir.redis.stats.RemovalStatistics;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Presences in Redis: every step is one script, and a heartbeat is one {@code EXPIRE}. */
public final class RedisPresenceStore implements PresenceStore {
    private static final Script JOIN = Script.ofRoom("join");
    private static final Script LEAVE = Script.ofRoom("leave");
    private static final Script DISCONNECT = Script.ofRoom("disconnect");
    private static final Script RESTORE = Script.ofRoom("restore");
    private static final Script REMOVE_USER = Script.ofRoom("remove-user");
    private static final Script EXPIRE_GRACES = Script.ofRoom("expire-graces");
    private static final Script ANNOUNCE_EXPIRED = Script.ofRoom("announce-expired");
    private static final Script CHECK = Script.ofRoom("check");
    private static final Script RAISE_REVISION = Script.ofRoom("raise-revision");
    private static final Script REMEMBER_ROOMS = Script.plain("remember-rooms");

    /** Longer than any command can be under way. */
    private static final Duration FENCE = Duration.ofMinutes(10);

    private static final int GRACES_AT_ONCE = 100;
    private static final int EXPIRED_AT_ONCE = 200;
    private static final Duration MEMORY_MARGIN = Duration.ofSeconds(5);

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;
    private final RoomReader reader;
    private final Heartbeats heartbeats;
    private final RoomDirectory directory;
    private final RemovalStatistics statistics;
    private final PresenceSettings settings;
    private PresenceObserver observer = PresenceObserver.UNSEEN;

    /**
     * Presences as one node sees and changes them.
     *
     * @param self the node that histories name as the actor
     */
    public RedisPresenceStore(RedisLink link, String self, RemovalStatistics statistics, PresenceSettings settings) {
        this.link = link;
        this.keys = new RedisKeys(link.isCluster());
        this.scripts = new RoomScripts(link, keys, settings.ttl(), self);
        this.reader = new RoomReader(scripts, keys);
        this.heartbeats = new Heartbeats(link);
        this.directory = new RoomDirectory(link, keys, scripts);
        this.statistics = statistics;
        this.settings = settings;
    }

    /** Sets the observer; called once, before the start. */
    public void observe(PresenceObserver newObserver) {
        observer = newObserver;
    }

    @Override
    public boolean isAvailable() {
        return link.isUp();
    }

    @Override
    public boolean isAvailable(RoomId room) {
        return link.reaches(keys.index(room));
    }

    @Override
    public CompletionStage<JoinOutcome> join(Seat seat, Holder holder, Profile profile) {
        String name = profile.username() == null ? "" : profile.username().value();
        List<String> own = with(seat, holder, name, profile.fallback().value());
        return scripts.write(JOIN, seat.room(), own).thenApply(answer -> {
            String outcome = (String) answer.get(0);
            if (outcome.equals("joined")) {
                observer.joined(seat);
                statistics.count((String) answer.get(4));
                Optional<RoomChange> change = change(seat, answer);
                if (change.orElse(null) instanceof RoomChange.Joined) {
                    observer.arrived(seat);
                }
                return new JoinOutcome.Joined(revision(answer), ttl(answer), (String) answer.get(6), change);
            }
            observer.joinRefused();
            if (outcome.equals("banned")) {
                return new JoinOutcome.Banned(RedisBanStore.read(seat, answer.get(1), (String) answer.get(2)));
            }
            return outcome.equals("full") ? new JoinOutcome.Full() : new JoinOutcome.Superseded();
        });
    }

    @Override
    public CompletionStage<Boolean> heartbeat(Seat seat, Duration ttl) {
        observer.heartbeat();
        return heartbeats.send(keys.presence(seat), ttl);
    }

    @Override
    public CompletionStage<Boolean> isHeld(Seat seat) {
        String key = keys.presence(seat);
        return link.read(key, redis -> redis.mget(key, keys.details(seat))).thenApply(values -> {
            Details details = Details.parse(values.get(1).getValueOrElse(""));
            return values.get(0).hasValue()
                    && (details == null || !details.sockets().isEmpty());
        });
    }

    @Override
    public CompletionStage<Void> leave(Seat seat, Holder holder, LeaveReason reason, boolean fenced) {
        return scripts.writeForText(LEAVE, seat.room(), with(seat, holder, reason.wire(), fence(fenced), ""))
                .thenAccept(statistics::count);
    }

    @Override
    public CompletionStage<Void> undo(Seat seat, Holder holder) {
        String grace = Long.toString(settings.grace().toMillis());
        List<String> own = with(seat, holder, LeaveReason.LEFT.wire(), fence(true), grace);
        return scripts.writeForText(LEAVE, seat.room(), own).thenAccept(statistics::count);
    }

    @Override
    public CompletionStage<Void> disconnect(Seat seat, Holder holder, boolean fenced) {
        observer.disconnected(seat, holder);
        String grace = Long.toString(settings.grace().toMillis());
        return scripts.writeForText(DISCONNECT, seat.room(), with(seat, holder, grace, fence(fenced)))
                .thenAccept(statistics::count);
    }

    @Override
    public CompletionStage<Boolean> remove(Seat seat, LeaveReason reason, @Nullable String message) {
        List<String> own = List.of(seat.user().encoded(), reason.wire(), message == null ? "" : message, "");
        return scripts.write(REMOVE_USER, seat.room(), own).thenApply(answer -> {
            boolean removed = number(answer.get(0)) == 1;
            if (removed) {
                statistics.count(reason.wire());
            }
            return removed;
        });
    }

    @Override
    public CompletionStage<Void> rememberRooms(UserId user, Collection<RoomId> rooms) {
        long millis = settings.grace().plus(MEMORY_MARGIN).toMillis();
        String key = keys.grace(user);
        List<String> own = new ArrayList<>(List.of(Long.toString(millis)));
        rooms.forEach(room -> own.add(room.encoded()));
        return link.write(key, redis -> REMEMBER_ROOMS.run(redis, ScriptOutputType.INTEGER, List.of(key), own))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Set<RoomId>> rememberedRooms(UserId user) {
        String key = keys.grace(user);
        return link.read(key, redis -> redis.smembers(key)).thenApply(names -> {
            Set<RoomId> rooms = new HashSet<>();
            names.forEach(name -> RoomId.decode(name).ifPresent(rooms::add));
            return rooms;
        });
    }

    @Override
    public CompletionStage<Optional<JoinOutcome.Joined>> restore(Seat seat, Holder holder) {
        String heartbeat = Long.toString(settings.heartbeat().toMillis());
        return scripts.write(RESTORE, seat.room(), with(seat, holder, heartbeat))
                .thenApply(answer -> {
                    if (!answer.get(0).equals("joined")) {
                        return Optional.empty();
                    }
                    observer.restored(seat);
                    return Optional.of(new JoinOutcome.Joined(
                            revision(answer), ttl(answer), (String) answer.get(3), Optional.empty()));
                });
    }

    @Override
    public CompletionStage<Page> list(RoomId room, @Nullable Position after, int limit) {
        return reader.list(room, after, limit);
    }

    @Override
    public CompletionStage<FirstPage> listFirst(RoomId room, int limit, @Nullable Roster known) {
        return reader.listFirst(room, limit, known);
    }

    @Override
    public CompletionStage<FirstPage> listForNewcomer(RoomId room, int limit, @Nullable Roster known) {
        return reader.listForNewcomer(room, limit, known);
    }

    @Override
    public CompletionStage<Page> listHolds(RoomId room, @Nullable Position after, int limit) {
        return reader.listHolds(room, after, limit);
    }

    @Override
    public CompletionStage<Headcount> count(RoomId room) {
        return reader.count(room);
    }

    @Override
    public Map<RoomId, CompletionStage<Headcount>> count(Collection<RoomId> rooms) {
        return reader.count(rooms);
    }

    @Override
    public CompletionStage<Optional<Duration>> lapse(RoomId room) {
        return scripts.write(EXPIRE_GRACES, room, List.of(Integer.toString(GRACES_AT_ONCE)))
                .thenApply(answer -> {
                    statistics.count(LeaveReason.DISCONNECTED.wire(), number(answer.get(1)));
                    return millis(answer.get(0));
                });
    }

    @Override
    public CompletionStage<Void> prune(RoomId room, Map<UserId, Optional<LeaveReason>> users) {
        List<String> own = new ArrayList<>();
        users.forEach((user, reason) -> {
            own.add(user.encoded());
            own.add(reason.map(LeaveReason::wire).orElse(""));
        });
        return pruneFrom(room, own, 0);
    }

    private CompletionStage<Void> pruneFrom(RoomId room, List<String> own, int from) {
        int to = Math.min(own.size(), from + 2 * EXPIRED_AT_ONCE);
        return scripts.write(ANNOUNCE_EXPIRED, room, own.subList(from, to)).thenCompose(answer -> {
            answer.forEach(reason -> statistics.count((String) reason));
            return to < own.size() ? pruneFrom(room, own, to) : CompletableFuture.completedFuture(null);
        });
    }

    @Override
    public CompletionStage<Checked> check(RoomId room, List<Claim> claims) {
        List<String> own = new ArrayList<>();
        for (Claim claim : claims) {
            own.add(claim.user().encoded());
            own.add(claim.holder().socket().value());
            own.add(Long.toString(claim.holder().turn()));
            own.add(claim.username());
        }
        return scripts.write(CHECK, room, own).thenApply(answer -> {
            Duration ttl = Duration.ofMillis(number(answer.get(0)));
            String message = (String) answer.get(1);
            List<Boolean> alive =
                    answer.subList(4, answer.size()).stream().map("1"::equals).toList();
            return new Checked(
                    new RoomRules(ttl, message.isEmpty() ? null : message),
                    number(answer.get(2)),
                    millis(answer.get(3)),
                    alive);
        });
    }

    @Override
    public CompletionStage<Void> repair(RoomId room) {
        return scripts.repair(room).thenAccept(repaired -> {});
    }

    @Override
    public CompletionStage<Void> raise(RoomId room, long told) {
        return scripts.writeForText(RAISE_REVISION, room, List.of(Long.toString(told)))
                .thenAccept(revision -> {});
    }

    @Override
    public CompletionStage<Void> noteOccupied(Collection<RoomId> rooms) {
        return directory.note(rooms);
    }

    @Override
    public CompletionStage<Void> forgetOccupied(Collection<RoomId> rooms) {
        return directory.forget(rooms);
    }

    @Override
    public CompletionStage<List<RoomId>> occupied(@Nullable RoomId after, int most) {
        return directory.after(after, most);
    }

    @Override
    public CompletionStage<Set<RoomId>> notOccupied(Collection<RoomId> rooms) {
        return directory.without(List.copyOf(rooms));
    }

    @Override
    public CompletionStage<Set<UserId>> absent(RoomId room, Collection<UserId> users) {
        return reader.seen(room, users.stream().map(UserId::encoded).toList()).thenApply(page -> {
            Set<UserId> absent = new HashSet<>(users);
            page.participants().forEach(there -> absent.remove(there.user()));
            return absent;
        });
    }

    @Override
    public CompletionStage<Long> countOccupied() {
        return directory.count();
    }

    @Override
    public CompletionStage<RoomSettings> settings(RoomId room) {
        return directory.settings(room);
    }

    @Override
    public CompletionStage<Void> configure(RoomId room, RoomSettings wanted) {
        return directory.configure(room, wanted);
    }

    /** A time from a script in ms; empty if it is negative. */
    private static Optional<Duration> millis(Object value) {
        long millis = number(value);
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    private static long revision(List<Object> joined) {
        return number(joined.get(1));
    }

    private static Duration ttl(List<Object> joined) {
        return Duration.ofMillis(number(joined.get(2)));
    }

    /** The change that the join announced. */
    private static Optional<RoomChange> change(Seat seat, List<Object> answer) {
        Instant joinedAt = Instant.ofEpochMilli(number(answer.get(3)));
        Participant participant = new Participant(seat.user(), (String) answer.get(6), joinedAt, joinedAt);
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

    private static String fence(boolean fenced) {
        return fenced ? Long.toString(FENCE.toMillis()) : "0";
    }

    public static long number(Object value) {
        return value instanceof Long number ? number : Long.parseLong(String.valueOf(value));
    }
}
