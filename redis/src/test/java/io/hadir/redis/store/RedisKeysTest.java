package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.RedisKeys.RoomKey;
import io.hadir.redis.link.RedisAddress;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisKeysTest {
    private static final Seat SEAT = new Seat(new RoomId("123"), new UserId("45"));
    private static final RedisKeys PLAIN = new RedisKeys(false);
    private static final RedisKeys CLUSTER = new RedisKeys(true);

    @Test
    void keysAreAsTheContractHasThem() {
        assertThat(PLAIN.presence(SEAT)).isEqualTo("room:presence:123:45");
        assertThat(PLAIN.details(SEAT)).isEqualTo("room:123:user:45");
        assertThat(CLUSTER.presence(SEAT)).isEqualTo("room:presence:{123}:45");
        assertThat(CLUSTER.details(SEAT)).isEqualTo("room:{123}:user:45");
        assertThat(PLAIN.online(SEAT.user())).isEqualTo("user:45:online");
        assertThat(PLAIN.activeRoom(SEAT.user())).isEqualTo("user:45:active_room");
        assertThat(PLAIN.lastSeen(SEAT.user())).isEqualTo("user:45:last_seen");
        assertThat(PLAIN.unread(SEAT.room(), SEAT.user())).isEqualTo("room:123:unread:45");
        assertThat(CLUSTER.online(SEAT.user())).isEqualTo("user:{45}:online");
        assertThat(CLUSTER.unread(SEAT.room(), SEAT.user())).isEqualTo("room:123:unread:{45}");
    }

    @Test
    void inAClusterAllKeysOfARoomAreInOneSlot() {
        RoomId room = SEAT.room();
        assertThat(Stream.of(
                                CLUSTER.presence(SEAT),
                                CLUSTER.details(SEAT),
                                CLUSTER.index(room),
                                CLUSTER.revision(room),
                                CLUSTER.lapses(room),
                                CLUSTER.settings(room),
                                CLUSTER.fences(room) + "n.s",
                                CLUSTER.removals(room) + "1",
                                CLUSTER.histories(room) + "45",
                                CLUSTER.changes(room))
                        .map(SlotHash::getSlot)
                        .distinct())
                .hasSize(1);
    }

    @Test
    void inAClusterAllKeysOfAUserAreInOneSlot() {
        UserId user = SEAT.user();
        assertThat(Stream.of(
                                CLUSTER.online(user),
                                CLUSTER.activeRoom(user),
                                CLUSTER.lastSeen(user),
                                CLUSTER.record(user),
                                CLUSTER.unread(SEAT.room(), user),
                                CLUSTER.unread(new RoomId("another"), user))
                        .map(SlotHash::getSlot)
                        .distinct())
                .hasSize(1);
    }

    @Test
    void inAClusterAllStatisticsAreInOneSlot() {
        assertThat(Stream.of(
                                RedisKeys.allRemovals(1),
                                RedisKeys.history(Duration.ofSeconds(5)) + 1,
                                RedisKeys.history(Duration.ofMinutes(1)) + 2,
                                RedisKeys.lastBatch("x"))
                        .map(SlotHash::getSlot)
                        .distinct())
                .hasSize(1);
    }

    @Test
    void aKeyNamesItsSeatAndAnIndexItsRoom() {
        for (RedisKeys keys : new RedisKeys[] {PLAIN, CLUSTER}) {
            assertThat(keys.seat(keys.presence(SEAT))).contains(SEAT);
            assertThat(keys.seatOfDetails(keys.details(SEAT))).contains(SEAT);
            assertThat(keys.roomKey(keys.index(SEAT.room()))).contains(Map.entry(SEAT.room(), RoomKey.INDEX));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "[a-z]*", "}", "{}", "a:b", "a%3Ab", "room:123", "ruang tamu", "ä", "👍🏽"})
    void a22_anIdReachesNoKeyButItsOwn(String id) {
        Seat seat = new Seat(new RoomId(id), new UserId(id));
        for (RedisKeys keys : new RedisKeys[] {PLAIN, CLUSTER}) {
            assertThat(keys.seat(keys.presence(seat))).contains(seat);
            assertThat(keys.seatOfDetails(keys.details(seat))).contains(seat);
            assertThat(keys.roomKey(keys.index(seat.room()))).contains(Map.entry(seat.room(), RoomKey.INDEX));
            assertThat(keys.userOfOnline(keys.online(seat.user()))).contains(seat.user());
            assertThat(keys.everyPresence(seat.room())).matches("room:presence:[{]?[A-Za-z0-9._~@%-]+[}]?:[*]");
        }
        assertThat(SlotHash.getSlot(CLUSTER.presence(seat)))
                .isEqualTo(SlotHash.getSlot(seat.room().encoded()));
        assertThat(SlotHash.getSlot(CLUSTER.unread(seat.room(), seat.user())))
                .isEqualTo(SlotHash.getSlot(CLUSTER.online(seat.user())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"room:presence:a", "room:presence:a:b:c", "room:presence::b", "room:presence:a b:c"})
    void malformedPresenceKeysNameNoSeat(String key) {
        assertThat(PLAIN.seat(key)).isEmpty();
        assertThat(CLUSTER.seat(key)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"room:presence:user:x", "room::user:x", "room:a:user:b:c", "room:user:user", "room:a:user:"})
    void malformedDetailsKeysNameNoSeat(String key) {
        assertThat(PLAIN.seatOfDetails(key)).isEmpty();
        assertThat(CLUSTER.seatOfDetails(key)).isEmpty();
    }

    @Test
    void addressesOfEveryKindAreUnderstood() {
        assertThat(RedisAddress.parse("redis://:secret@host:7000/2").toString()).isEqualTo("host:7000");
        assertThat(RedisAddress.parse("rediss://host:7000").seeds().get(0).isSsl())
                .isTrue();
        RedisAddress sentinel = RedisAddress.parse("redis-sentinel://a:1,b:2/0#mymaster");
        assertThat(sentinel.toString()).isEqualTo("mymaster (by the sentinels at a:1,b:2)");
        assertThat(sentinel.seeds().get(0).getSentinelMasterId()).isEqualTo("mymaster");
        RedisAddress cluster = RedisAddress.parse("redis-cluster://:secret@a:1,b:2");
        assertThat(cluster.cluster()).isTrue();
        assertThat(cluster.toString()).isEqualTo("a:1,b:2");
        assertThat(Stream.of(RedisAddress.parse("redis://host:7000"), sentinel, cluster)
                        .map(address -> address.mode().wire()))
                .containsExactly("standalone", "sentinel", "cluster");
    }

    @Test
    void aBadAddressIsRefusedWithoutRepeatingIt() {
        assertThatThrownBy(() -> RedisAddress.parse("http://:secret@host"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("redis://")
                .message()
                .doesNotContain("secret");
    }
}
