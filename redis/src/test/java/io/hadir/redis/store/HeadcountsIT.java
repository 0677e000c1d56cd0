package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.RoomStore.Headcount;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Many rooms that are counted together are counted as one by one. */
class HeadcountsIT extends OnStore {
    @Test
    void roomsOfEverySizeAreCountedAtOnce() {
        List<RoomId> filled = new ArrayList<>();
        for (int size : List.of(3, 0, 1, 700, 499, 2, 500, 501)) {
            filled.add(fill("size-" + size, size));
        }
        for (int i = 0; i < 450; i++) {
            filled.add(fill("small-" + i, i % 3));
        }
        Map<RoomId, CompletionStage<Headcount>> counts = rooms.count(filled);
        assertThat(counts.keySet()).containsExactlyElementsOf(filled);
        counts.forEach((room, count) -> assertThat(get(count)).isEqualTo(get(rooms.count(room))));
        assertThat(of(counts, new RoomId("size-501")).alive()).isEqualTo(501);
        assertThat(of(counts, new RoomId("small-449")).alive()).isEqualTo(2);
    }

    @Test
    void deadUsersInTheIndexAreNamedAndLiveOnesCounted() {
        RoomId haunted = fill("haunted", 3);
        RoomId clean = fill("clean", 3);
        redis.cli().del("room:presence:haunted:u1");
        Map<RoomId, CompletionStage<Headcount>> counts = rooms.count(List.of(clean, haunted, clean));
        assertThat(of(counts, clean).dead()).isEmpty();
        assertThat(of(counts, haunted).dead()).containsExactly(new UserId("u1"));
        assertThat(of(counts, haunted).alive()).isEqualTo(2);
    }

    @Test
    void aRoomWithForeignKeysDoesNotAffectOtherRooms() {
        RoomId clean = fill("clean", 3);
        RoomId odd = new RoomId("odd");
        redis.cli().set("hadir:room:odd:index", "no list");
        redis.cli().set("hadir:room:clean:revision", "no number");
        Map<RoomId, CompletionStage<Headcount>> counts = rooms.count(List.of(odd, clean));
        assertThat(of(counts, clean).alive()).isEqualTo(3);
        assertThat(counts.get(odd)).failsWithin(Duration.ofSeconds(20));
    }

    @Test
    void aLargeRoomIsCountedExactly() {
        RoomId room = fill("large", 1003);
        redis.cli().del("room:presence:large:u4", "room:presence:large:u1001");

        Headcount count = get(rooms.count(room));
        assertThat(count.alive()).isEqualTo(1001);
        assertThat(count.dead()).containsExactly(new UserId("u4"), new UserId("u1001"));
        assertThat(count.revision()).isEqualTo(1010);
    }

    @Test
    void aRoomOfSeveralStepsIsCountedExactly() {
        RoomId room = fill("steps", 23);
        redis.cli().del("room:presence:steps:u4", "room:presence:steps:u22");

        for (int atOnce : List.of(2, 3, 4, 7, 23, 24, 25)) {
            Headcount count = get(inStepsOf(atOnce).behind(new Headcount(1, 30, List.of()), room, 0, "u0"));
            assertThat(count.alive()).as("in steps of %d", atOnce).isEqualTo(21);
            assertThat(count.dead()).containsExactlyInAnyOrder(new UserId("u4"), new UserId("u22"));
            assertThat(count.revision()).isEqualTo(30);
        }
    }

    @Test
    void aStepThatOthersWouldBeMissingFromIsNoticed() {
        RoomId room = fill("moving", 10);
        Headcounts counts = inStepsOf(4);

        assertThat(get(counts.behind(NOBODY, room, 6, "u6")).alive()).isEqualTo(3);
        redis.cli().zrem("hadir:room:moving:index", "u2");
        assertThat(get(counts.behind(NOBODY, room, 6, "u6"))).isNull();
        redis.cli().zremrangebyrank("hadir:room:moving:index", 0, -1);
        assertThat(get(counts.behind(NOBODY, room, 6, "u6"))).isNull();
    }

    @Test
    void aRevisionOfAnotherTypeCountsAsNone() {
        RoomId room = fill("odd", 2);
        redis.cli().del("hadir:room:odd:revision");
        redis.cli().lpush("hadir:room:odd:revision", "7");

        assertThat(get(rooms.count(room))).isEqualTo(new Headcount(2, 0, List.of()));
    }

    private static final Headcount NOBODY = new Headcount(0, 0, List.of());

    private Headcounts inStepsOf(int atOnce) {
        RoomScripts scripts = new RoomScripts(link, "n", SETTINGS);
        return new Headcounts(link, scripts.keys(), scripts, atOnce);
    }

    private static Headcount of(Map<RoomId, CompletionStage<Headcount>> counts, RoomId room) {
        return get(Objects.requireNonNull(counts.get(room)));
    }

    private RoomId fill(String room, int size) {
        for (int i = 0; i < size; i++) {
            redis.cli().set("room:presence:" + room + ":u" + i, "n.s" + i);
            redis.cli().zadd("hadir:room:" + room + ":index", i, "u" + i);
        }
        redis.cli().set("hadir:room:" + room + ":revision", Integer.toString(size + 7));
        return new RoomId(room);
    }
}
