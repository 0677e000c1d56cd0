package io.hadir.redis.store;

import io.hadir.presence.RoomStore.Claim;
import io.hadir.presence.RoomStore.Claims;
import io.hadir.presence.RoomStore.Compared;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.lettuce.core.KeyValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares a node's own seats with Redis by plain reads, which cost a fraction of {@code check.lua}: of each room the
 * revision, settings and lapses, and of each seat the presence, the details and the hint.
 */
final class RoomComparisons {
    private static final int COMPARED_AT_ONCE = 1000;
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;

    RoomComparisons(RedisLink link, RedisKeys keys, RoomScripts scripts) {
        this.link = link;
        this.keys = keys;
        this.scripts = scripts;
    }

    List<CompletionStage<Compared>> of(List<Claims> rooms) {
        List<Comparison> all = rooms.stream().map(Comparison::new).toList();
        keys.together(all, one -> one.claims.room().encoded(), COMPARED_AT_ONCE).forEach(this::compareTogether);
        return all.stream().<CompletionStage<Compared>>map(one -> one.result).toList();
    }

    /** A room under comparison. */
    private final class Comparison {
        final Claims claims;
        final CompletableFuture<Compared> result = new CompletableFuture<>();
        private final List<Sighting> shared = new ArrayList<>();
        private long revision;
        private boolean right = true;
        private RoomRules rules = scripts.standardRules();
        private Optional<Duration> nextLapse = Optional.empty();

        Comparison(Claims claims) {
            this.claims = claims;
        }

        RoomId room() {
            return claims.room();
        }

        /** The revision, and the presence and details of each seat. */
        void addKeys(List<String> asked) {
            asked.add(keys.revision(room()));
            for (Claim claim : claims.seats()) {
                asked.add(keys.presences(room()) + claim.user().encoded());
                asked.add(keys.details(room()) + claim.user().encoded());
            }
        }

        /** Takes the values of these keys. */
        void read(Iterator<KeyValue<String, String>> values) {
            revision = revision(values.next().getValueOrElse(""));
            for (Claim claim : claims.seats()) {
                read(claim, values.next().getValueOrElse(""), values.next().getValueOrElse(""));
            }
        }

        private void read(Claim claim, String named, String text) {
            SocketId socket = claim.holder().socket();
            if (named.equals(socket.value()) && Details.isOfOne(text, claim.holder(), claim.paused())) {
                return;
            }
            Details details = Details.parse(text);
            Set<SocketId> sockets = details == null ? Set.of() : details.sockets();
            boolean paused = details != null && details.paused().contains(socket);
            if (!sockets.contains(socket) || !sockets.contains(new SocketId(named)) || paused != claim.paused()) {
                right = false;
            } else if (sockets.size() > 1) {
                shared.add(new Sighting(new Seat(room(), claim.user()), new SocketId(named), sockets, true));
            }
        }

        /** Whether all users are in the index. */
        CompletionStage<Void> readIndex() {
            String index = keys.index(room());
            String[] users =
                    claims.seats().stream().map(claim -> claim.user().encoded()).toArray(String[]::new);
            return users.length == 0
                    ? CompletableFuture.completedFuture(null)
                    : tolerated(link.read(index, redis -> redis.zmscore(index, users))
                            .thenAccept(scores -> right &= !scores.contains(null)));
        }

        CompletionStage<Void> readSettings() {
            String settings = keys.settings(room());
            return tolerated(link.read(settings, redis -> redis.hmget(settings, "ttlSeconds", "inactivityMessage"))
                    .thenAccept(values -> rules = scripts.rules(
                            values.get(0).getValueOrElse(""), values.get(1).getValueOrElse(""))));
        }

        CompletionStage<Void> readLapses() {
            String lapses = keys.lapses(room());
            return tolerated(link.read(
                            lapses,
                            redis -> redis.zrangeWithScores(lapses, 0, 0)
                                    .thenCombine(
                                            redis.time(),
                                            (first, now) -> first.isEmpty()
                                                    ? Optional.<Duration>empty()
                                                    : Optional.of(Duration.ofMillis(Math.max(
                                                            0,
                                                            (long) first.get(0).getScore()
                                                                    - RedisLink.instant(now)
                                                                            .toEpochMilli())))))
                    .thenAccept(next -> nextLapse = next));
        }

        /** What cannot be read this way may have the wrong type, so a check has to find out more. */
        private CompletionStage<Void> tolerated(CompletionStage<Void> reading) {
            return reading.exceptionally(failed -> {
                right = false;
                return null;
            });
        }

        void complete(@Nullable Throwable failed) {
            if (failed == null) {
                result.complete(new Compared(rules, revision, nextLapse, right, shared));
            } else {
                result.completeExceptionally(failed);
            }
        }
    }

    /** Compares rooms of one slot. Few rooms have settings or lapses, so one read for all of them finds that out. */
    private void compareTogether(List<Comparison> rooms) {
        List<String> values = new ArrayList<>();
        List<String> rare = new ArrayList<>();
        List<CompletionStage<Void>> read = new ArrayList<>();
        for (Comparison one : rooms) {
            one.addKeys(values);
            rare.add(keys.settings(one.room()));
            rare.add(keys.lapses(one.room()));
            read.add(one.readIndex());
        }
        read.add(link.read(values.get(0), redis -> redis.mget(values.toArray(String[]::new)))
                .thenAccept(found -> {
                    Iterator<KeyValue<String, String>> next = found.iterator();
                    rooms.forEach(one -> one.read(next));
                }));
        read.add(link.read(rare.get(0), redis -> redis.exists(rare.toArray(String[]::new)))
                .thenCompose(there -> there == 0
                        ? CompletableFuture.completedFuture(null)
                        : Stages.all(rooms.stream()
                                .flatMap(one -> Stream.of(one.readSettings(), one.readLapses()))
                                .toList())));
        Stages.all(read).whenComplete((done, failed) -> rooms.forEach(one -> one.complete(failed)));
    }

    private static long revision(String text) {
        return NUMBER.matcher(text).matches() ? Long.parseLong(text) : 0;
    }
}
