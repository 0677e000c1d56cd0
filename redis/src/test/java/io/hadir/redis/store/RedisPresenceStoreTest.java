package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.RoomStore;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RedisPresenceStoreTest extends OnStore {
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
    void theRevisionStartsAtRedisClockAndRisesByOneWithEveryChange() {
        long before = System.currentTimeMillis();
        long first = join(SEAT, "n.a", 1).revision();
        assertThat(first).isBetween(before - 1000, System.currentTimeMillis() + 1000);
        assertThat(join(seat("46"), "n.b", 1).revision()).isEqualTo(first + 1);
        get(seats.leave(SEAT, holder("n.a", 2), LeaveReason.LEFT, false));
        assertThat(page().revision()).isEqualTo(first + 2);
    }

    @Test
    void joiningAgainChangesNoRevisionAndKeepsTheTimeOfJoining() {
        long first = join(SEAT, "n.a", 1).revision();
        Instant joinedAt = page().participants().get(0).joinedAt();
        assertThat(join(SEAT, "n.b", 1).revision()).isEqualTo(first);
        assertThat(page().participants()).extracting(Participant::joinedAt).containsExactly(joinedAt);
    }

    @Test
    void f46_aLateLeaveOfAnOldSocketDoesNotRemoveTheNewOne() {
        join(SEAT, "n.old", 1);
        get(seats.disconnect(SEAT, holder("n.old", 2), false));
        join(SEAT, "n.new", 1);
        get(seats.leave(SEAT, holder("n.old", 3), LeaveReason.LEFT, false));
        assertThat(users()).containsExactly("45");
        assertThat(redis.cli().get(KEY)).isEqualTo("n.new");
    }

    @Test
    void aLateLeaveDoesNothingAfterTheSameSocketJoinedAgain() {
        join(SEAT, "n.a", 1);
        join(SEAT, "n.a", 3);
        get(seats.leave(SEAT, holder("n.a", 2), LeaveReason.LEFT, false));
        assertThat(users()).containsExactly("45");
    }

    @Test
    void aJoinThatComesAfterItsUndoIsVoid() {
        get(seats.leave(SEAT, holder("n.a", 5), LeaveReason.LEFT, true));
        assertThat(get(seats.join(SEAT, holder("n.a", 5), name("adi")))).isInstanceOf(JoinOutcome.Superseded.class);
        assertThat(users()).isEmpty();
        join(SEAT, "n.a", 6);
        assertThat(users()).containsExactly("45");
    }

    @Test
    void theLastLeaveRemovesTheUserAndEarlierOnesHandTheKeyOver() {
        join(SEAT, "n.a", 1);
        join(SEAT, "m.b", 1);
        get(seats.leave(SEAT, holder("m.b", 2), LeaveReason.LEFT, false));
        assertThat(redis.cli().get(KEY)).isEqualTo("n.a");
        assertThat(redis.cli().ttl(KEY)).isGreaterThan(TTL.toSeconds() - 5);
        get(seats.leave(SEAT, holder("n.a", 2), LeaveReason.LEFT, false));
        assertThat(redis.cli().keys("room:*")).isEmpty();
        assertThat(users()).isEmpty();
    }

    @Test
    void aDisconnectLeavesOnlyTheGracePeriod() {
        join(SEAT, "n.a", 1);
        get(seats.disconnect(SEAT, holder("n.a", 2), false));
        assertThat(redis.cli().pttl(KEY)).isBetween(GRACE.toMillis() - 2000, GRACE.toMillis());
        assertThat(users()).containsExactly("45");
        assertThat(get(rooms.expireGraces(ROOM)).orElseThrow()).isLessThanOrEqualTo(GRACE);
    }

    @Test
    void aDisconnectOfOneTabLeavesTheOtherItsFullTtl() {
        join(SEAT, "n.a", 1);
        join(SEAT, "m.b", 1);
        get(seats.disconnect(SEAT, holder("m.b", 2), false));
        assertThat(redis.cli().get(KEY)).isEqualTo("n.a");
        assertThat(redis.cli().ttl(KEY)).isGreaterThan(TTL.toSeconds() - 5);
    }

    @Test
    void aRejoinInsideTheGraceIsSilent() {
        long revision = join(SEAT, "n.a", 1).revision();
        get(seats.disconnect(SEAT, holder("n.a", 2), false));
        assertThat(join(SEAT, "m.b", 1).revision()).isEqualTo(revision);
        assertThat(redis.cli().ttl(KEY)).isGreaterThan(TTL.toSeconds() - 5);
        assertThat(redis.cli().zcard("hadir:room:123:lapses")).isZero();
    }

    @Test
    void anExpiredGracePeriodIsAnnouncedOnceAsDisconnected() {
        long revision = join(SEAT, "n.a", 1).revision();
        get(seats.disconnect(SEAT, holder("n.a", 2), false));
        redis.cli().pexpire(KEY, 1);
        redis.cli().zadd("hadir:room:123:lapses", 1, "45");
        await().until(() -> redis.cli().exists(KEY) == 0);
        assertThat(get(rooms.expireGraces(ROOM))).isEmpty();
        assertThat(get(rooms.expireGraces(ROOM))).isEmpty();
        assertThat(page().revision()).isEqualTo(revision + 1);
        assertThat(removals()).containsEntry("disconnected", 1L);
    }

    @Test
    void aHeartbeatRenewsAPresenceAndNeverCreatesOne() {
        assertThat(get(seats.heartbeat(SEAT, TTL))).isFalse();
        assertThat(redis.cli().exists(KEY)).isZero();
        join(SEAT, "n.a", 1);
        redis.cli().expire(KEY, 10);
        assertThat(get(seats.heartbeat(SEAT, TTL))).isTrue();
        assertThat(redis.cli().ttl(KEY)).isGreaterThan(TTL.toSeconds() - 5);
    }

    @Test
    void aRestoreLastsTwoHeartbeatIntervalsAndAHeartbeatTheWholeTtl() {
        join(SEAT, "n.a", 1);
        get(seats.disconnect(SEAT, holder("n.a", 2), false));
        assertThat(get(seats.restore(SEAT, holder("m.b", 1)))).isPresent();
        assertThat(redis.cli().get(KEY)).isEqualTo("m.b");
        assertThat(redis.cli().ttl(KEY)).isBetween(48L, 50L);
        get(seats.heartbeat(SEAT, TTL));
        assertThat(redis.cli().ttl(KEY)).isGreaterThan(TTL.toSeconds() - 5);
    }

    @Test
    void nothingIsRestoredAfterTheGrace() {
        assertThat(get(seats.restore(SEAT, holder("m.b", 1)))).isEmpty();
        assertThat(users()).isEmpty();
    }

    @Test
    void a56_aBannedUserIsNotRestored() {
        join(SEAT, "n.a", 1);
        redis.cli().set("hadir:room:123:bans:45", "", SetArgs.Builder.ex(60));
        assertThat(get(seats.restore(SEAT, holder("m.b", 1)))).isEmpty();
        redis.cli().del("hadir:room:123:bans:45");
        assertThat(get(seats.restore(SEAT, holder("m.b", 1)))).isPresent();
    }

    @Test
    void removeTakesEverySocketAndReturnsWhetherTheUserWasPresent() {
        join(SEAT, "n.a", 1);
        join(SEAT, "m.b", 1);
        assertThat(get(seats.remove(SEAT, LeaveReason.KICKED, "bye"))).isTrue();
        assertThat(get(seats.remove(SEAT, LeaveReason.KICKED, null))).isFalse();
        assertThat(users()).isEmpty();
        assertThat(removals()).containsEntry("kicked", 1L);
    }

    @Test
    void deletingTheKeyByHandRemovesTheUserFromTheVeryNextAnswer() {
        join(SEAT, "n.a", 1);
        join(seat("46"), "n.b", 1);
        redis.cli().del(KEY);
        assertThat(users()).containsExactly("46");
        assertThat(get(rooms.count(ROOM)).alive()).isEqualTo(1);
        assertThat(get(rooms.count(ROOM)).dead()).containsExactly(SEAT.user());
    }

    @Test
    void aJoinAfterAnUnnoticedExpiryAnnouncesTheLeaveFirst() {
        long revision = join(SEAT, "n.a", 1).revision();
        redis.cli().del(KEY);
        assertThat(join(SEAT, "m.b", 1).revision()).isEqualTo(revision + 2);
        assertThat(removals()).containsEntry("presence_lost", 1L);
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
    void theRoomsOwnSettingsHoldOnJoinAndExpiry() {
        redis.cli().hset("hadir:room:123:settings", Map.of("ttlSeconds", "60", "inactivityMessage", "gone"));
        assertThat(join(SEAT, "n.a", 1).ttl()).isEqualTo(Duration.ofSeconds(60));
        assertThat(redis.cli().ttl(KEY)).isBetween(58L, 60L);
        assertThat(get(rooms.check(ROOM, List.of(claim("45", "n.a")))).rules().inactivityMessage())
                .isEqualTo("gone");
    }

    @Test
    void aFullRoomRefusesNewUsersButNotItsOwn() {
        redis.cli().hset("hadir:room:123:settings", "maxParticipants", "1");
        join(SEAT, "n.a", 1);
        assertThat(get(seats.join(seat("46"), holder("n.b", 1), name("b")))).isInstanceOf(JoinOutcome.Full.class);
        join(SEAT, "m.c", 1);
        assertThat(users()).containsExactly("45");
    }

    @Test
    void theSweepTakesDeadSocketsOffASeatButNotInTheGracePeriod() {
        join(SEAT, "dead.a", 1);
        join(SEAT, "live.b", 1);
        get(seats.sweep(SEAT, LeaveReason.SERVER_GONE, List.of(new SocketId("dead.a"))));
        assertThat(redis.cli().get(KEY)).isEqualTo("live.b");
        assertThat(get(seats.sweep(SEAT, LeaveReason.SERVER_GONE, List.of(new SocketId("live.b")))))
                .isTrue();
        assertThat(users()).isEmpty();

        join(SEAT, "dead.a", 2);
        get(seats.disconnect(SEAT, holder("dead.a", 3), false));
        assertThat(get(seats.sweep(SEAT, LeaveReason.SERVER_GONE, List.of(new SocketId("dead.a")))))
                .isFalse();
        assertThat(users()).containsExactly("45");
    }

    @Test
    void theScanFindsPresencesOfOtherProgramsToo() {
        join(SEAT, "n.a", 1);
        redis.cli().set("room:presence:7:foreign", "somebody", SetArgs.Builder.ex(100));
        redis.cli().set("room:presence:not:a:seat", "x", SetArgs.Builder.ex(100));
        Set<Seat> seen = new HashSet<>();
        List<Boolean> complete = new ArrayList<>();
        Set<RoomId> hinted = new HashSet<>();
        get(scan.each(found -> {
            found.presences().forEach(sighting -> {
                seen.add(sighting.seat());
                complete.add(sighting.complete());
            });
            hinted.addAll(found.rooms());
            return CompletableFuture.completedFuture(true);
        }));
        assertThat(seen).containsExactlyInAnyOrder(SEAT, new Seat(new RoomId("7"), new UserId("foreign")));
        assertThat(hinted).containsExactly(SEAT.room());
        assertThat(complete).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void pagesOfALargeRoomAreInOrderAndMissNoStayingUser() {
        for (int i = 0; i < 1200; i++) {
            seats.join(seat("u" + i), holder("n.s" + i, 1), name("x"));
        }
        await().until(() -> get(rooms.count(ROOM)).alive() == 1200);
        List<String> found = new ArrayList<>();
        Page page = get(rooms.list(ROOM, null, 500));
        found.addAll(names(page));
        // Somebody on the page before, and the one that the next page begins behind, go in between.
        get(seats.remove(seat(found.get(10)), LeaveReason.LEFT, null));
        get(seats.remove(seat(found.get(499)), LeaveReason.LEFT, null));
        while (page.next() != null) {
            page = get(rooms.list(ROOM, page.next(), 500));
            found.addAll(names(page));
        }
        assertThat(found).hasSize(1200).doesNotHaveDuplicates();
        assertThat(get(rooms.count(ROOM)).alive()).isEqualTo(1198);
    }

    @Test
    void scriptsSurviveAScriptFlush() {
        join(SEAT, "n.a", 1);
        redis.cli().scriptFlush();
        join(seat("46"), "n.b", 1);
        assertThat(users()).containsExactlyInAnyOrder("45", "46");
    }

    @Test
    void a24_luaTextInNamesIsHarmless() {
        String nasty = "\"]] redis.call('FLUSHALL') --\\ é𝄞 </x>";
        get(seats.join(SEAT, holder("n.a", 1), name(nasty)));
        assertThat(page().participants()).extracting(Participant::username).containsExactly(nasty);
    }

    @Test
    void lastActiveIsDerivedFromTheRemainingTtl() {
        join(SEAT, "n.a", 1);
        redis.cli().zadd("hadir:room:123:index", 1000, "45");
        redis.cli().pexpire(KEY, TTL.toMillis() - 100_000);
        Participant participant = page().participants().get(0);
        assertThat(Duration.between(participant.lastActiveAt(), Instant.now()).toSeconds())
                .isBetween(99L, 102L);
    }

    @Test
    void duringTheGraceLastActiveIsTheLastHeartbeat() {
        join(SEAT, "n.a", 1);
        Instant before = page().participants().get(0).lastActiveAt();
        get(seats.disconnect(SEAT, holder("n.a", 2), false));
        assertThat(Duration.between(before, page().participants().get(0).lastActiveAt())
                        .abs())
                .isLessThan(Duration.ofMillis(100));
    }

    @Test
    void expiredPresencesAreAnnouncedOnceAndLiveOnesAreUntouched() {
        long revision = join(SEAT, "n.a", 1).revision();
        join(seat("46"), "n.b", 1);
        redis.cli().del(KEY);
        Map<UserId, Optional<LeaveReason>> both =
                Map.of(SEAT.user(), Optional.of(LeaveReason.INACTIVITY_TIMEOUT), new UserId("46"), Optional.empty());
        get(rooms.announceExpired(ROOM, both));
        get(rooms.announceExpired(ROOM, both));
        assertThat(users()).containsExactly("46");
        assertThat(page().revision()).isEqualTo(revision + 2);
        assertThat(removals()).containsOnly(Map.entry("inactivity_timeout", 1L));
    }

    private JoinOutcome.Joined join(Seat seat, String socket, long turn) {
        return (JoinOutcome.Joined) get(seats.join(seat, holder(socket, turn), name("adi")));
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
        return new RoomStore.Claim(new UserId(user), holder(socket, 1), "adi");
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
