package io.hadir.redis.store;

import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.sweep.Pace;
import io.hadir.presence.sweep.PresenceScan;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.RedisKeys.RoomKey;
import io.hadir.redis.link.Master;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.ExpireArgs;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Scans all presences; only this and {@link ForeignPresences} use {@code SCAN}. */
public final class RedisPresenceScan implements PresenceScan {
    private static final Script READ_SEATS = Script.plain("read-seats");
    private static final Script MEASURE_KEYS = Script.plain("measure-keys");
    private static final Script READ_TTLS = Script.plain("read-ttls");
    private static final int SEATS_AT_ONCE = 100;
    private static final int KEYS_AT_ONCE = 500;
    private static final int FIELDS = 4;
    /** The longest TTL that Hadir gives an online key. */
    private static final Duration ONLINE = Duration.ofSeconds(90);

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;

    public RedisPresenceScan(RedisLink link, RoomScripts scripts) {
        this.link = link;
        this.keys = scripts.keys();
        this.scripts = scripts;
    }

    @Override
    public CompletionStage<Void> each(
            Pace pace, Predicate<Seat> known, boolean thorough, Function<Found, CompletionStage<Boolean>> step) {
        // Seats that cannot be read, because their slot is moving, do not stop the scan.
        AtomicReference<@Nullable Throwable> missed = new AtomicReference<>();
        Function<Collection<String>, CompletionStage<Found>> read = found -> {
            List<Seat> seats = parsed(found, keys::seat);
            Map<Boolean, List<Seat>> split = seats.stream().collect(Collectors.partitioningBy(known));
            List<Seat> unread = Objects.requireNonNull(split.get(true));
            return withSockets(Objects.requireNonNull(split.get(false)), missed)
                    .thenCombine(
                            measured(thorough ? parsed(found, keys::roomKey) : List.of(), missed),
                            (presences, rooms) ->
                                    new Found(unread, presences, rooms.hints, List.copyOf(rooms.unsound)));
        };
        Function<Found, CompletionStage<Boolean>> each = found -> found.isEmpty() ? completed(true) : step.apply(found);
        String pattern = thorough ? RedisKeys.EVERY_PRESENCE_AND_ROOM : RedisKeys.EVERY_PRESENCE;
        return new KeyScan<>(link, pace, pattern, read, each)
                .of(link.masters())
                .thenCompose(done -> missed.get() == null
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(missed.get()));
    }

    @Override
    public CompletionStage<Found> hints(Collection<RoomId> rooms) {
        return measuredAll(rooms.stream()
                        .map(room -> Map.entry(room, RoomKey.INDEX))
                        .toList())
                .thenApply(found -> new Found(List.of(), List.of(), found.hints, List.copyOf(found.unsound)));
    }

    @Override
    public CompletionStage<Void> eachOrphan(Pace pace, Function<List<Seat>, CompletionStage<Boolean>> step) {
        Function<Collection<String>, CompletionStage<Set<Seat>>> read = found -> chosen(
                parsed(found, keys::seatOfDetails), seat -> seat.room().encoded(), keys::presence, left -> left == -2);
        Function<Set<Seat>, CompletionStage<Boolean>> each =
                orphans -> orphans.isEmpty() ? completed(true) : step.apply(List.copyOf(orphans));
        return new KeyScan<>(link, pace, RedisKeys.EVERY_DETAILS, read, each).of(link.masters());
    }

    @Override
    public CompletionStage<Set<Seat>> withoutTtl(List<Seat> seats) {
        return chosen(seats, seat -> seat.room().encoded(), keys::presence, left -> left == -1);
    }

    @Override
    public CompletionStage<Void> eachLastingOnline(Pace pace, Function<Set<UserId>, CompletionStage<Boolean>> step) {
        Function<Set<UserId>, CompletionStage<Boolean>> each =
                users -> users.isEmpty() ? completed(true) : step.apply(users);
        return new KeyScan<>(
                        link,
                        pace,
                        RedisKeys.EVERY_ONLINE,
                        found -> lastingOnline(parsed(found, keys::userOfOnline)),
                        each)
                .of(link.masters());
    }

    @Override
    public CompletionStage<Set<UserId>> lastingOnline(Collection<UserId> users) {
        return chosen(users, UserId::encoded, keys::online, left -> left == -1 || left > ONLINE.toMillis());
    }

    @Override
    public CompletionStage<Void> limitOnline(Collection<UserId> users) {
        List<CompletionStage<Boolean>> limited = new ArrayList<>();
        for (UserId user : users) {
            for (String key : List.of(keys.activeRoom(user), keys.online(user))) {
                limited.add(link.write(key, redis -> redis.pexpire(key, ONLINE, ExpireArgs.Builder.lt())));
            }
        }
        return Stages.all(limited);
    }

    @Override
    public CompletionStage<Set<RoomId>> unsound(Collection<RoomId> rooms) {
        List<Map.Entry<RoomId, RoomKey>> asked = rooms.stream()
                .flatMap(room -> Stream.of(RoomKey.values()).map(which -> Map.entry(room, which)))
                .toList();
        return measuredAll(asked).thenApply(found -> found.unsound);
    }

    private CompletionStage<Measured> measuredAll(List<Map.Entry<RoomId, RoomKey>> asked) {
        AtomicReference<@Nullable Throwable> missed = new AtomicReference<>();
        return measured(asked, missed)
                .thenCompose(found -> missed.get() == null
                        ? CompletableFuture.completedFuture(found)
                        : CompletableFuture.failedFuture(missed.get()));
    }

    /** How many hints rooms have, and which rooms have a key of the wrong type or content. */
    private record Measured(Map<RoomId, Long> hints, Set<RoomId> unsound) {}

    private CompletionStage<Measured> measured(
            List<Map.Entry<RoomId, RoomKey>> asked, AtomicReference<@Nullable Throwable> missed) {
        CompletionStage<Measured> all = completed(new Measured(new HashMap<>(), new LinkedHashSet<>()));
        for (List<Map.Entry<RoomId, RoomKey>> together :
                keys.together(asked, key -> key.getKey().encoded(), KEYS_AT_ONCE)) {
            List<String> names = together.stream()
                    .map(key -> keys.key(key.getKey(), key.getValue()))
                    .toList();
            boolean indexes = together.stream().allMatch(key -> key.getValue() == RoomKey.INDEX);
            List<String> wanted = indexes
                    ? List.of()
                    : together.stream().map(key -> key.getValue().type).toList();
            CompletionStage<List<Long>> answer = link.<List<Long>>read(
                            names.get(0), redis -> MEASURE_KEYS.run(redis, ScriptOutputType.MULTI, names, wanted))
                    .exceptionally(failed -> {
                        missed.set(failed);
                        return List.of();
                    });
            all = all.thenCombine(answer, (found, sizes) -> {
                for (int i = 0; i < sizes.size(); i++) {
                    RoomId room = together.get(i).getKey();
                    if (sizes.get(i) < 0) {
                        found.unsound.add(room);
                    } else if (together.get(i).getValue() == RoomKey.INDEX) {
                        found.hints.put(room, sizes.get(i));
                    }
                }
                return found;
            });
        }
        return all;
    }

    /** The items whose key has a remaining time that the predicate accepts. */
    private <T> CompletionStage<Set<T>> chosen(
            Collection<T> all, Function<T, String> tag, Function<T, String> key, LongPredicate wanted) {
        CompletionStage<Set<T>> chosen = completed(new LinkedHashSet<>());
        for (List<T> together : keys.together(all, tag, KEYS_AT_ONCE)) {
            List<String> names = together.stream().map(key).toList();
            CompletionStage<List<Long>> answer =
                    link.read(names.get(0), redis -> READ_TTLS.run(redis, ScriptOutputType.MULTI, names, List.of()));
            chosen = chosen.thenCombine(answer, (found, left) -> {
                for (int i = 0; i < together.size(); i++) {
                    if (wanted.test(left.get(i))) {
                        found.add(together.get(i));
                    }
                }
                return found;
            });
        }
        return chosen;
    }

    @Override
    public CompletionStage<Page> list(RoomId room) {
        Map<UserId, Participant> found = new ConcurrentHashMap<>();
        Master master = link.masterOf(keys.index(room));
        Function<Collection<String>, CompletionStage<Page>> read = step -> scripts.present(
                room,
                parsed(step, keys::seat).stream()
                        .map(seat -> seat.user().encoded())
                        .toList());
        Function<Page, CompletionStage<Boolean>> each = page -> {
            page.participants().forEach(alive -> found.put(alive.user(), alive));
            return completed(true);
        };
        return new KeyScan<>(link, new Pace(link.loop(), 1), keys.everyPresence(room), read, each)
                .of(master == null ? link.masters() : List.of(master))
                .thenCompose(done -> scripts.present(room, List.of()))
                .thenApply(last -> new Page(List.copyOf(found.values()), null, last.revision()));
    }

    private static <T> List<T> parsed(Collection<String> found, Function<String, Optional<T>> parse) {
        return found.stream().map(parse).flatMap(Optional::stream).toList();
    }

    private static <T> CompletionStage<T> completed(T value) {
        return CompletableFuture.completedFuture(value);
    }

    /**
     * The presences at these seats, each with its sockets. Nothing is said about hints: the scan compares their
     * number with that of presences.
     */
    private CompletionStage<List<Sighting>> withSockets(List<Seat> seats, AtomicReference<@Nullable Throwable> missed) {
        return gathered(seats, KEYS_AT_ONCE / 2, together -> {
            String[] names = together.stream()
                    .flatMap(seat -> Stream.of(keys.presence(seat), keys.details(seat)))
                    .toArray(String[]::new);
            return link.read(names[0], redis -> redis.mget(names))
                    .thenApply(values -> {
                        List<Sighting> sightings = new ArrayList<>(together.size());
                        for (int i = 0; i < together.size(); i++) {
                            // One without a value has just ended, or is no string and names no socket.
                            SocketId named = new SocketId(values.get(2 * i).getValueOrElse(""));
                            String details = values.get(2 * i + 1).getValueOrElse("");
                            sightings.add(new Sighting(together.get(i), named, sockets(named, details), true));
                        }
                        return sightings;
                    })
                    .exceptionally(failed -> {
                        missed.set(failed);
                        return List.of();
                    });
        });
    }

    private static Set<SocketId> sockets(SocketId named, String text) {
        Details details = Details.parse(text);
        Set<SocketId> sockets = new HashSet<>(details == null ? Set.of() : details.sockets());
        sockets.add(named);
        return sockets;
    }

    @Override
    public CompletionStage<List<Sighting>> read(List<Seat> seats) {
        return gathered(seats, SEATS_AT_ONCE, this::readTogether);
    }

    private CompletionStage<List<Sighting>> gathered(
            List<Seat> seats, int most, Function<List<Seat>, CompletionStage<List<Sighting>>> read) {
        CompletionStage<List<Sighting>> all = completed(new ArrayList<>());
        for (List<Seat> together : keys.together(seats, seat -> seat.room().encoded(), most)) {
            all = all.thenCombine(read.apply(together), (before, more) -> {
                before.addAll(more);
                return before;
            });
        }
        return all;
    }

    private CompletionStage<List<Sighting>> readTogether(List<Seat> seats) {
        List<String> asked = new ArrayList<>(3 * seats.size());
        List<String> users = new ArrayList<>(seats.size());
        for (Seat seat : seats) {
            asked.add(keys.presence(seat));
            asked.add(keys.details(seat));
            asked.add(keys.index(seat.room()));
            users.add(seat.user().encoded());
        }
        CompletionStage<List<String>> answer =
                link.read(asked.get(0), redis -> READ_SEATS.run(redis, ScriptOutputType.MULTI, asked, users));
        return answer.thenApply(fields -> {
            List<Sighting> sightings = new ArrayList<>(seats.size());
            for (int i = 0; i < seats.size(); i++) {
                // The presence may have ended since the scan.
                if (fields.get(FIELDS * i).equals("1")) {
                    SocketId named = new SocketId(fields.get(FIELDS * i + 1));
                    boolean listed = fields.get(FIELDS * i + 3).equals("1");
                    sightings.add(sighting(seats.get(i), named, fields.get(FIELDS * i + 2), listed));
                }
            }
            return sightings;
        });
    }

    private static Sighting sighting(Seat seat, SocketId named, String text, boolean listed) {
        Details details = Details.parse(text);
        boolean holds = details != null && details.sockets().contains(named);
        return new Sighting(seat, named, sockets(named, text), holds && listed);
    }
}
