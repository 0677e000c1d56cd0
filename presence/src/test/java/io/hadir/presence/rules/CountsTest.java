package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Listing.PageStart;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Username;
import java.time.Duration;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many users there are: in every answer as many as are alive, and in every message. */
class CountsTest extends TwoNodes {
    private static final RoomId ROOM = new RoomId("r");

    @BeforeEach
    void fillTheRoom() {
        for (int i = 0; i < 6; i++) {
            a.open("u" + i).join("r");
        }
        settle();
    }

    @Test
    void laterPagesRepeatTheCountOfTheirWalkAndSeeWhoIsGone() {
        Listing first = page(null);
        assertThat(first.viewerCount()).isEqualTo(6);
        Listing second = page(first.next());
        assertThat(second.viewerCount()).isEqualTo(6);

        memory.losePresence(seat("r", "u5"));
        Listing third = page(second.next());
        assertThat(third.page().participants()).hasSize(1);
        assertThat(third.viewerCount()).isEqualTo(5);
    }

    @Test
    void aPageAfterAChangeIsCountedAgain() {
        PageStart next = page(null).next();
        a.open("new").join("r");
        assertThat(page(next).viewerCount()).isEqualTo(7);
    }

    @Test
    void aCountIsRepeatedForAMomentOnly() {
        PageStart next = page(null).next();
        memory.losePresence(seat("r", "u0"));
        loop.advance(Duration.ofSeconds(6));
        assertThat(page(next).viewerCount()).isEqualTo(5);
    }

    @Test
    void aFirstPageIsAlwaysCounted() {
        page(null);
        memory.losePresence(seat("r", "u4"));
        assertThat(page(null).viewerCount()).isEqualTo(5);
        assertThat(a.open("new").join("r").listing().viewerCount()).isEqualTo(6);
    }

    @Test
    void aMessageHasTheCountOfItsLastChange() {
        Client reader = b.open("reader");
        reader.join("r");
        settle();
        memory.losePresence(seat("r", "u1"));
        a.open("one").join("r");
        a.open("two").join("r");
        settle();
        RoomNews last = reader.lastNews();
        assertThat(last.viewerCount()).isEqualTo(8);
        assertThat(last.revision()).isEqualTo(page(null).page().revision());
    }

    @Test
    void joinsAtOnceAllSeeTheWholeRoom() {
        var joining = IntStream.range(0, 20)
                .mapToObj(i -> {
                    Client client = b.open("storm" + i);
                    return b.presence.join(
                            client.socket, ROOM, client.user, new Profile(null, Username.of(client.user)), true);
                })
                .toList();
        joining.forEach(join -> {
            Listing listing = ok(get(join)).listing();
            assertThat(listing.viewerCount())
                    .isEqualTo(listing.page().participants().size());
        });
        assertThat(ok(get(joining.get(19))).listing().viewerCount()).isEqualTo(26);
    }

    private Listing page(@Nullable PageStart start) {
        return ok(get(a.presence.list(ROOM, start, 2)));
    }
}
