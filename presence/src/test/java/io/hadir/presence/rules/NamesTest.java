package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RoomId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes remember the names of the users in their rooms, but lists always show what the stores would. */
class NamesTest extends TwoNodes {
    private static final RoomId ROOM = new RoomId("r");

    @Test
    void everyJoinAndLeaveIsInTheNextListOfEveryNode() {
        Client adi = a.open("adi");
        Client budi = b.open("budi");
        adi.join("r");
        budi.join("r");
        Client citra = a.open("citra");
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
        Client adi = a.open("adi");
        adi.join("r");
        b.open("budi").join("r");
        assertThat(names(a)).containsExactly("adi", "budi");
        assertThat(names(b)).containsExactly("adi", "budi");

        JoinedRoom again = adi.join("r", "Adi the Great");
        assertThat(names(again.listing())).containsExactly("Adi the Great", "budi");
        assertThat(names(a)).containsExactly("Adi the Great", "budi");
        settle();
        assertThat(names(b)).containsExactly("Adi the Great", "budi");
    }

    @Test
    void aUserWithRepairedDetailsIsListedByNameEverywhere() {
        Client budi = b.open("budi");
        budi.join("r", "Budi!");
        memory.loseDetails(seat("r", "budi"));
        a.open("dewi").join("r");
        assertThat(names(a)).containsExactly("budi", "dewi");
        b.check();
        settle();
        assertThat(names(a)).containsExactly("Budi!", "dewi");

        memory.loseDetails(seat("r", "budi"));
        budi.join("r");
        settle();
        assertThat(names(a)).containsExactly("budi", "dewi");
        assertThat(names(b)).containsExactly("budi", "dewi");
    }

    @Test
    void detailsThatWereLostComeBackWithTheNameThatAnotherTabGave() {
        Client watcher = a.open("adi");
        watcher.join("r");
        Client tab = a.open("budi");
        tab.join("r", "Budi");
        settle();
        assertThat(watcher.joined()).contains("budi");
        b.open("budi").join("r", "Budi!");
        settle();
        assertThat(tab.updated()).containsExactly("budi Budi!");
        memory.loseDetails(seat("r", "budi"));
        a.check();
        assertThat(names(a)).containsExactly("adi", "Budi!");
    }

    @Test
    void aNewNameIsAnnouncedWithARevision() {
        Client adi = a.open("adi");
        Client budi = b.open("budi");
        adi.join("r", "Adi");
        long before = budi.join("r").listing().page().revision();
        settle();
        assertThat(adi.joined()).contains("budi");
        long after = adi.join("r", "Adi the Great").listing().page().revision();
        assertThat(after).isEqualTo(before + 1);
        for (Client each : List.of(adi, budi)) {
            settle();
            assertThat(each.updated()).containsExactly("adi Adi the Great");
            assertThat(each.lastNews().revision()).isEqualTo(after);
            assertThat(each.lastNews().truncated()).isFalse();
        }
        assertThat(budi.joined()).doesNotContain("adi");
    }

    @Test
    void joiningAgainWithTheSameOrNoNameChangesNothing() {
        Client adi = a.open("adi");
        long revision = adi.join("r", "Adi").listing().page().revision();
        Client secondTab = b.open("adi");
        for (JoinedRoom again : List.of(adi.join("r", "Adi"), adi.join("r"), secondTab.join("r"))) {
            assertThat(names(again.listing())).containsExactly("Adi");
            assertThat(again.listing().page().revision()).isEqualTo(revision);
        }
        assertThat(adi.updated()).isEmpty();
    }

    @Test
    void aUserWhoReturnsInTheGracePeriodKeepsTheirNameButNotLater() {
        Client adi = a.open("adi");
        adi.join("r", "Adi");
        adi.close();
        Client back = b.open("adi");
        assertThat(names(back.join("r").listing())).containsExactly("Adi");
        back.leave("r");
        assertThat(names(back.join("r").listing())).containsExactly("adi");
    }

    @Test
    void everyListHasThePresentUsersWhateverJoinedAndLeft() {
        Client sitting = a.open("adi");
        sitting.join("r");
        for (int i = 0; i < 50; i++) {
            Client passing = (i % 2 == 0 ? a : b).open("u" + i);
            Listing joined = passing.join("r").listing();
            assertThat(names(joined)).containsExactly("adi", "u" + i);
            assertThat(joined.viewerCount()).isEqualTo(2);
            passing.leave("r");
            assertThat(names(i % 3 == 0 ? b : a)).containsExactly("adi");
        }
    }

    private List<String> names(TestNode node) {
        return names(ok(get(node.presence.list(ROOM, null, 100))));
    }

    private static List<String> names(Listing listing) {
        return listing.page().participants().stream().map(Participant::username).toList();
    }
}
