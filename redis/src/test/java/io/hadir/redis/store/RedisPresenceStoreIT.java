package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.RoomStore;
import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.presence.sweep.Pace;
import io.hadir.presence.sweep.PresenceScan;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the contract does not say: the keys, their values and their TTLs. */
class RedisPresenceStoreIT extends OnStore {
    private static final RoomId ROOM = new RoomId("123");
    private static final Seat SEAT = new Seat(ROOM, new UserId("45"));
    private static final String KEY = "room:presence:123:45";

    @Test
    void joinWritesThePresenceWithItsTtlTheDetailsAndTheHints() {
        join(SEAT, "n.a", 1);
        assertThat(redis.cli().get(KEY)).isEqualTo("n.a");
        assertThat(redis.cli().ttl(KEY)).isBetween(TTL.toSeconds() - 2, TTL.toSeconds());
        assertThat(redis.cli().get("room:123:user:45"))
                .contains("\"socketId\":\"n.a\"", "\"userId\":\"45\"", "\"roomId\":\"123\"", "\"username\":\"adi\"");
        assertThat(redis.cli().ttl("room:123:user:45")).isGreaterThan(TTL.toSeconds());
        assertThat(redis.cli().zrange("hadir:room:123:index", 0, -1)).containsExactly("45");
    }

    @Test
    void aComparisonNoticesALostHintInARoomThatHasOthers() {
        join(SEAT, "n.a", 1);
        join(new Seat(ROOM, new UserId("46")), "n.b", 1);
        RoomId other = new RoomId("124");
        join(new Seat(other, new UserId("47")), "n.c", 1);
        assertThat(right(other)).containsExactly(true, true);
        redis.cli().zrem("hadir:room:123:index", "45");
        assertThat(right(other)).containsExactly(false, true);
    }

    private List<Boolean> right(RoomId other) {
        RoomStore.Claim adi = new RoomStore.Claim(SEAT.user(), holder("n.a", 1), "adi", null, false);
        RoomStore.Claim eko = new RoomStore.Claim(new UserId("47"), holder("n.c", 1), "adi", null, false);
        return rooms
                .compare(List.of(new RoomStore.Claims(ROOM, List.of(adi)), new RoomStore.Claims(other, List.of(eko))))
                .stream()
                .map(compared -> get(compared).right())
                .toList();
    }

    @Test
    void aRemovalLeavesNoKeysOfTheUser() {
        join(SEAT, "n.a", 1);
        get(seats.leave(SEAT, holder("n.a", 2), RemovalReason.LEFT, false));
        join(SEAT, "n.a", 3);
        get(seats.undo(SEAT, holder("n.a", 3)));
        assertThat(redis.cli().keys("room:*")).isEmpty();
    }

    @Test
    void removalsAreCountedByReason() {
        join(SEAT, "n.a", 1);
        get(seats.kick(SEAT, "bye"));
        get(seats.kick(SEAT, null));
        join(SEAT, "n.a", 2);
        redis.cli().del(KEY);
        join(SEAT, "n.a", 3);
        get(seats.disconnect(SEAT, holder("n.a", 4), false));
        redis.cli().del(KEY);
        get(rooms.announceExpired(ROOM, List.of(SEAT.user()), null));
        assertThat(removals())
                .containsOnly(Map.entry("kicked", 1L), Map.entry("presence_lost", 1L), Map.entry("disconnected", 1L));
    }

    @Test
    void settingsOfOtherProgramsAreUsedToo() {
        redis.cli().hset("hadir:room:123:settings", Map.of("ttlSeconds", "60", "inactivityMessage", "gone"));
        assertThat(join(SEAT, "n.a", 1).rules().ttl()).isEqualTo(Duration.ofSeconds(60));
        assertThat(redis.cli().ttl(KEY)).isBetween(50L, 60L);
    }

    @Test
    void checkFindsDeadPresencesAndRepairsHints() {
        join(SEAT, "n.a", 1);
        redis.cli().del("hadir:room:123:index", "room:123:user:45");
        RoomStore.Checked checked = get(rooms.check(ROOM, List.of(claim("45", "n.a"), claim("46", "n.b"))));
        assertThat(checked.alive()).containsExactly(true, false);
        assertThat(checked.rules().ttl()).isEqualTo(TTL);
        assertThat(users()).containsExactly("45");
        assertThat(redis.cli().get("room:123:user:45")).contains("\"socketId\":\"n.a\"", "\"turn\":1");
    }

    @Test
    void theScanFindsPresencesOfOtherProgramsToo() {
        join(SEAT, "n.a", 1);
        redis.cli().set("room:presence:7:foreign", "somebody", SetArgs.Builder.ex(100));
        redis.cli().set("room:presence:not:a:seat", "x", SetArgs.Builder.ex(100));
        Seat foreign = new Seat(new RoomId("7"), new UserId("foreign"));
        Map<Seat, String> seen = new HashMap<>();
        Map<RoomId, Long> hinted = new HashMap<>();
        get(scan.each(new Pace(link.loop(), 1), seat -> false, true, found -> {
            found.presences()
                    .forEach(sighting ->
                            seen.put(sighting.seat(), sighting.named().value()));
            hinted.putAll(found.hints());
            return CompletableFuture.completedFuture(true);
        }));
        assertThat(seen).containsOnly(Map.entry(SEAT, "n.a"), Map.entry(foreign, "somebody"));
        assertThat(hinted).containsOnly(Map.entry(SEAT.room(), 1L));
        assertThat(get(scan.read(List.of(SEAT, foreign, seat("nobody")))))
                .containsExactlyInAnyOrder(
                        new Sighting(SEAT, new SocketId("n.a"), Set.of(new SocketId("n.a")), true),
                        new Sighting(foreign, new SocketId("somebody"), Set.of(new SocketId("somebody")), false));
    }

    @Test
    void f52_theScanNamesAllSocketsOfAPresence() {
        join(SEAT, "n.a", 1);
        join(SEAT, "n.b", 1);
        List<Sighting> seen = new ArrayList<>();
        get(scan.each(new Pace(link.loop(), 1), seat -> false, false, found -> {
            seen.addAll(found.presences());
            return CompletableFuture.completedFuture(true);
        }));
        Set<SocketId> both = Set.of(new SocketId("n.a"), new SocketId("n.b"));
        assertThat(seen).containsExactly(new Sighting(SEAT, new SocketId("n.b"), both, true));
    }

    @Test
    void theScanDoesNotReadPresencesThatAreKnown() {
        join(SEAT, "n.a", 1);
        List<PresenceScan.Found> all = new ArrayList<>();
        get(scan.each(new Pace(link.loop(), 1), SEAT::equals, false, found -> {
            all.add(found);
            return CompletableFuture.completedFuture(true);
        }));
        assertThat(all).containsExactly(new PresenceScan.Found(List.of(SEAT), List.of(), Map.of(), List.of()));
    }

    @Test
    void theHintsAboutRoomsAreReadWithoutAScan() {
        join(SEAT, "n.a", 1);
        redis.cli().set("hadir:room:odd:index", "no set");
        RoomId odd = new RoomId("odd");
        assertThat(get(scan.hints(List.of(SEAT.room(), odd, new RoomId("empty")))))
                .isEqualTo(new PresenceScan.Found(
                        List.of(), List.of(), Map.of(SEAT.room(), 1L, new RoomId("empty"), 0L), List.of(odd)));
    }

    @Test
    void scriptsSurviveAScriptFlush() {
        join(SEAT, "n.a", 1);
        redis.cli().scriptFlush();
        join(seat("46"), "n.b", 1);
        assertThat(users()).containsExactlyInAnyOrder("45", "46");
    }

    private JoinOutcome.Joined join(Seat seat, String socket, long turn) {
        return (JoinOutcome.Joined) get(seats.join(SeatStore.Join.of(seat, holder(socket, turn), name("adi"))));
    }

    private Page page() {
        return get(rooms.list(ROOM, null, 1000));
    }

    private List<String> users() {
        return names(page());
    }

    private static List<String> names(Page page) {
        return page.participants().stream()
                .map(participant -> participant.user().value())
                .toList();
    }

    private Map<String, Long> removals() {
        Map<String, Long> counts = new HashMap<>();
        for (String key : redis.cli().keys("hadir:room:123:removals:*")) {
            assertThat(redis.cli().ttl(key)).isPositive();
            redis.cli()
                    .hgetall(key)
                    .forEach((field, count) ->
                            counts.merge(field.substring(field.indexOf(':') + 1), Long.valueOf(count), Long::sum));
        }
        return counts;
    }

    private static RoomStore.Claim claim(String user, String socket) {
        return new RoomStore.Claim(new UserId(user), holder(socket, 1), "adi", null, false);
    }

    private static Seat seat(String user) {
        return new Seat(ROOM, new UserId(user));
    }

    private static Holder holder(String socket, long turn) {
        return new Holder(new SocketId(socket), turn);
    }

    private static Profile name(String text) {
        return Profile.named(((Answer.Ok<Username>) Username.parse(text)).value());
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
