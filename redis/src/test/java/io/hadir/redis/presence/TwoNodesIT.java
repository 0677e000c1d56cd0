package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TwoNodesIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    TwoNodesIT() {
        super(REDIS);
    }

    @Test
    void aJoinReturnsTheCurrentRoomAndIsAnnouncedOnce() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        JoinedRoom seen = b.open("budi").join("r");
        assertThat(seen.listing().viewerCount()).isEqualTo(2);
        assertThat(seen.listing().page().participants())
                .extracting(participant -> participant.user().value())
                .containsExactly("adi", "budi");
        await().untilAsserted(() -> assertThat(adi.joined()).endsWith("budi"));
        assertThat(adi.news.get(adi.news.size() - 1).viewerCount()).isEqualTo(2);
    }

    @Test
    void everyMessageBeginsWhereTheOneBeforeEnded() {
        TestNode.Client adi = a.open("adi");
        long revision = adi.join("r").listing().page().revision();
        for (int i = 0; i < 50; i++) {
            b.open("u" + i).join("r");
        }
        long last = revision + 50;
        await().untilAsserted(() ->
                assertThat(adi.news.get(adi.news.size() - 1).revision()).isEqualTo(last));
        long at = adi.news.get(0).fromRevision();
        for (RoomNews told : adi.news) {
            assertThat(told.fromRevision()).isEqualTo(at);
            at = told.revision();
        }
        assertThat(adi.joined()).hasSizeGreaterThanOrEqualTo(50);
    }

    @Test
    void f01_aClosedTabIsOneLeftAfterTheGrace() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        get(adi.close());
        assertThat(b.list("r")).contains("adi");
        await().untilAsserted(() -> assertThat(watcher.left()).containsExactly("adi disconnected"));
        assertThat(a.list("r")).containsExactly("watcher");
    }

    @Test
    void f04_aUserWhoReturnsInTheGracePeriodNeverLeft() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        await().until(() -> watcher.joined().contains("adi"));
        watcher.news.clear();
        get(adi.close());
        b.open("adi").join("r");
        await().pollDelay(TestNode.QUICK.grace().multipliedBy(2))
                .until(() -> b.list("r").contains("adi"));
        assertThat(watcher.news).isEmpty();
    }

    @Test
    void f05_fiveTabsOverTwoNodesClosedInEveryOrderAreOneParticipantUntilTheLast() {
        int number = 0;
        for (List<Integer> order : permutations(List.of(0, 1, 2, 3, 4))) {
            String room = "tabs" + number++;
            List<TestNode.Client> tabs = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                TestNode.Client tab = (i % 2 == 0 ? a : b).open("adi");
                tab.join(room);
                tabs.add(tab);
            }
            for (int i = 0; i < 4; i++) {
                get(tabs.get(order.get(i)).close());
                assertThat(b.list(room)).as("%s after %d", order, i + 1).containsExactly("adi");
                assertThat(REDIS.cli().ttl("room:presence:" + room + ":adi"))
                        .isGreaterThan(TestNode.QUICK.grace().toSeconds() + 1);
            }
            TestNode.Client last = tabs.get(order.get(4));
            assertThat(REDIS.cli().get("room:presence:" + room + ":adi")).isEqualTo(last.socket.value());
            last.leave(room);
            assertThat(a.list(room)).isEmpty();
            get(last.close());
        }
    }

    @Test
    void f09_aShutdownLeavesUsersTheirGracePeriodAndOtherNodesAnnounceItsEnd() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        a.open("stays").join("r");
        a.open("goes").join("r");
        a.shutDown();
        assertThat(b.list("r")).contains("stays", "goes");
        b.open("stays").join("r");
        await().untilAsserted(() -> assertThat(watcher.left()).containsExactly("goes disconnected"));
        assertThat(REDIS.cli().keys("hadir:{nodes}:lease:" + a.id)).isEmpty();
    }

    @Test
    void aNodeThatEntersTheRoomDuringAGracePeriodAnnouncesItsEnd() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        get(adi.close());
        TestNode.Client late = b.open("late");
        late.join("r");
        await().untilAsserted(() -> assertThat(late.left()).containsExactly("adi disconnected"));
    }

    @Test
    void f06_usersOfAKilledNodeAreRemovedOnceAndOthersAreUntouched() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        for (int i = 0; i < 50; i++) {
            a.open("a" + i).join("r");
            b.open("b" + i).join("r");
        }
        // One of them has a second tab on the node that lives.
        b.open("a7").join("r");
        a.kill();
        await().atMost(TestNode.QUICK.lease().multipliedBy(4))
                .untilAsserted(() -> assertThat(b.list("r")).hasSize(52));
        await().untilAsserted(() -> assertThat(watcher.left()).hasSize(49));
        assertThat(watcher.left()).doesNotHaveDuplicates().allMatch(left -> left.matches("a\\d+ server_gone"));
        assertThat(watcher.left()).doesNotContain("a7 server_gone");
    }

    @Test
    void aPresenceInItsGracePeriodKeepsItWhenItsNodeIsKilled() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        get(adi.close());
        a.kill();
        await().untilAsserted(() -> assertThat(watcher.left()).containsExactly("adi disconnected"));
    }

    @Test
    void f40_aServersClockTenMinutesWrongHasNoEffectOnPresence() {
        InstantSource wrong = () -> Instant.now().plus(Duration.ofMinutes(10));
        TestNode late = TestNode.started(REDIS.url(), wrong);
        TestNode.Client watcher = a.open("watcher");
        watcher.join("r");
        TestNode.Client adi = late.open("adi");
        adi.join("r");
        await().until(() -> watcher.joined().contains("adi"));
        late.sweepWhenItMayJudge();
        get(a.sweeper.sweep());
        assertThat(a.list("r")).containsExactly("watcher", "adi");
        assertThat(ok(get(late.presence.list(new RoomId("r"), null, 10))).page().participants())
                .allSatisfy(one -> assertThat(one.joinedAt()).isCloseTo(Instant.now(), within(5, ChronoUnit.SECONDS)));
        get(adi.close());
        await().untilAsserted(() -> assertThat(watcher.left()).containsExactly("adi disconnected"));
        late.close();
    }

    @Test
    void usersWhoReturnAfterTheOnlyNodeWasKilledStayAndOthersAreRemoved() {
        b.shutDown();
        a.open("back").join("r");
        a.open("away").join("r");
        a.kill();
        TestNode again = TestNode.started(REDIS.url());
        TestNode.Client back = again.open("back");
        back.join("r");
        await().atMost(TestNode.QUICK.lease().multipliedBy(4))
                .untilAsserted(() -> assertThat(again.list("r")).isEqualTo(List.of("back")));
        await().pollDelay(TestNode.QUICK.lease().multipliedBy(2))
                .untilAsserted(() -> assertThat(again.list("r")).isEqualTo(List.of("back")));
        assertThat(back.left()).containsExactly("away server_gone");
        assertThat(REDIS.cli().smembers("hadir:{nodes}:known")).containsExactly(again.id);
        again.close();
    }

    private static List<List<Integer>> permutations(List<Integer> items) {
        if (items.isEmpty()) {
            return List.of(List.of());
        }
        List<List<Integer>> all = new ArrayList<>();
        for (Integer first : items) {
            List<Integer> rest = new ArrayList<>(items);
            rest.remove(first);
            for (List<Integer> tail : permutations(rest)) {
                List<Integer> one = new ArrayList<>(List.of(first));
                one.addAll(tail);
                all.add(one);
            }
        }
        return all;
    }
}
