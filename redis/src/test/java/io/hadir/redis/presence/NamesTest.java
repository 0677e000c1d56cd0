package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RoomId;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.KillArgs;
import io.lettuce.core.SetArgs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes remember names of who is in their rooms; whatever happens to these, lists say what Redis would. */
class NamesTest extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final RoomId ROOM = new RoomId("r");

    NamesTest() {
        super(REDIS);
    }

    @Test
    void everyJoinAndLeaveIsInTheNextListOfEveryNode() {
        TestNode.Client adi = a.open("adi");
        TestNode.Client budi = b.open("budi");
        adi.join("r");
        budi.join("r");
        TestNode.Client citra = a.open("citra");
        assertThat(names(citra.join("r").listing())).containsExactly("adi", "budi", "citra");
        for (TestNode node : List.of(a, b)) {
            assertThat(names(node)).containsExactly("adi", "budi", "citra");
            assertThat(names(node)).containsExactly("adi", "budi", "citra");
        }
        budi.leave("r");
        for (TestNode node : List.of(a, b)) {
            assertThat(names(node)).containsExactly("adi", "citra");
        }
        assertThat(names(b.open("dewi").join("r").listing())).containsExactly("adi", "citra", "dewi");
        assertThat(names(a)).containsExactly("adi", "citra", "dewi");
    }

    @Test
    void aNewNameIsListedAtOnceOnItsNodeAndSoonEverywhere() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        b.open("budi").join("r");
        assertThat(names(a)).containsExactly("adi", "budi");
        assertThat(names(b)).containsExactly("adi", "budi");

        JoinedRoom again = adi.join("r", "Adi the Great");
        assertThat(names(again.listing())).containsExactly("Adi the Great", "budi");
        assertThat(names(a)).containsExactly("Adi the Great", "budi");
        await().untilAsserted(() -> assertThat(names(b)).containsExactly("Adi the Great", "budi"));
    }

    @Test
    void aUserWithRepairedDetailsIsListedByNameEverywhere() {
        TestNode.Client budi = b.open("budi");
        budi.join("r", "Budi!");
        REDIS.cli().del("room:r:user:budi");
        a.open("dewi").join("r");
        assertThat(names(a)).containsExactly("budi", "dewi");
        get(b.sweeper.sweep());
        await().untilAsserted(() -> assertThat(names(a)).containsExactly("Budi!", "dewi"));

        REDIS.cli().del("room:r:user:budi");
        budi.join("r");
        await().untilAsserted(() -> assertThat(names(a)).containsExactly("budi", "dewi"));
        assertThat(names(b)).containsExactly("budi", "dewi");
    }

    @Test
    void detailsThatWereLostComeBackWithTheNameThatAnotherTabGave() {
        TestNode.Client watcher = a.open("adi");
        watcher.join("r");
        TestNode.Client tab = a.open("budi");
        tab.join("r", "Budi");
        await().until(() -> watcher.joined().contains("budi"));
        b.open("budi").join("r", "Budi!");
        await().untilAsserted(() -> assertThat(tab.updated()).containsExactly("budi Budi!"));
        REDIS.cli().del("room:r:user:budi");
        get(a.sweeper.sweep());
        assertThat(names(a)).containsExactly("adi", "Budi!");
    }

    @Test
    void aNewNameIsAnnouncedWithARevision() {
        TestNode.Client adi = a.open("adi");
        TestNode.Client budi = b.open("budi");
        adi.join("r", "Adi");
        long before = budi.join("r").listing().page().revision();
        await().until(() -> adi.joined().contains("budi"));
        long after = adi.join("r", "Adi the Great").listing().page().revision();
        assertThat(after).isEqualTo(before + 1);
        for (TestNode.Client each : List.of(adi, budi)) {
            await().untilAsserted(() -> assertThat(each.updated()).containsExactly("adi Adi the Great"));
            assertThat(each.news.get(each.news.size() - 1).revision()).isEqualTo(after);
            assertThat(each.news.get(each.news.size() - 1).truncated()).isFalse();
        }
        assertThat(budi.joined()).doesNotContain("adi");
    }

    @Test
    void joiningAgainWithTheSameOrNoNameChangesNothing() {
        TestNode.Client adi = a.open("adi");
        long revision = adi.join("r", "Adi").listing().page().revision();
        TestNode.Client secondTab = b.open("adi");
        for (JoinedRoom again : List.of(adi.join("r", "Adi"), adi.join("r"), secondTab.join("r"))) {
            assertThat(names(again.listing())).containsExactly("Adi");
            assertThat(again.listing().page().revision()).isEqualTo(revision);
        }
        assertThat(adi.updated()).isEmpty();
    }

    @Test
    void aUserWhoReturnsInTheGracePeriodKeepsTheirNameButNotLater() {
        TestNode.Client adi = a.open("adi");
        adi.join("r", "Adi");
        get(adi.close());
        TestNode.Client back = b.open("adi");
        assertThat(names(back.join("r").listing())).containsExactly("Adi");
        back.leave("r");
        assertThat(names(back.join("r").listing())).containsExactly("adi");
    }

    @Test
    void aNameThatAnotherProgramChangedIsListedAfterASweep() {
        a.open("adi").join("r");
        assertThat(names(a)).containsExactly("adi");
        String details = REDIS.cli().get("room:r:user:adi");
        String renamed = details.replace("\"username\":\"adi\"", "\"username\":\"Adi!\"");
        REDIS.cli().set("room:r:user:adi", renamed, SetArgs.Builder.ex(60));
        get(a.sweeper.sweep());
        assertThat(names(a)).containsExactly("Adi!");
    }

    @Test
    void aNameChangedDuringALostFeedIsListedWhenTheFeedResumes() {
        TestNode.Client budi = b.open("budi");
        budi.join("r");
        a.open("dewi").join("r");
        assertThat(names(a)).containsExactly("budi", "dewi");
        REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
        budi.join("r", "Budi!");
        await().untilAsserted(() -> assertThat(names(a)).containsExactly("Budi!", "dewi"));
    }

    @Test
    void aPresenceRewrittenByAnotherProgramIsListedWithoutNews() {
        TestNode.Client budi = b.open("budi");
        budi.join("r");
        String socket = REDIS.cli().get("room:presence:r:budi");
        REDIS.cli().del("room:presence:r:budi");
        a.open("dewi").join("r");
        assertThat(names(a)).containsExactly("dewi");
        REDIS.cli().set("room:presence:r:budi", socket, SetArgs.Builder.ex(60));
        assertThat(names(a)).containsExactly("budi", "dewi");
        assertThat(names(a.open("eka").join("r").listing())).containsExactly("budi", "dewi", "eka");
    }

    @Test
    void everyListHasThePresentUsersWhateverJoinedAndLeft() {
        TestNode.Client sitting = a.open("adi");
        sitting.join("r");
        for (int i = 0; i < 50; i++) {
            TestNode.Client passing = (i % 2 == 0 ? a : b).open("u" + i);
            Listing joined = passing.join("r").listing();
            assertThat(names(joined)).containsExactly("adi", "u" + i);
            assertThat(joined.viewerCount()).isEqualTo(2);
            passing.leave("r");
            assertThat(names(i % 3 == 0 ? b : a)).containsExactly("adi");
        }
    }

    private static List<String> names(TestNode node) {
        return names(ok(get(node.presence.list(ROOM, null, 100))));
    }

    private static List<String> names(Listing listing) {
        return listing.page().participants().stream().map(Participant::username).toList();
    }
}
