package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.RoomSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Every node compares the revisions that it heard of with those that the stores have. */
class RevisionsTest extends TwoNodes {

    private static final RoomId ROOM = new RoomId("r");

    @Test
    void anAnswerIsNoOlderThanWhatTheSocketHeardBeforeItEvenIfItIsLate() {
        b.open("budi").join("r");
        focusing = new CompletableFuture<>();
        Client adi = a.open("adi");
        CompletableFuture<Answer<JoinedRoom>> answer = adi.beginJoin("r").toCompletableFuture();
        settle();
        b.open("citra").beginJoin("r");
        settle();
        long heard = adi.lastNews().revision();
        loop.advance(PresenceSettings.ANSWER_TIME);

        assertThat(ok(get(answer)).listing().page().revision()).isGreaterThanOrEqualTo(heard);
    }

    @Test
    void f55_aJoinThatWasAnsweredHoldsEvenIfItsFocusFailsAfterwards() {
        CompletableFuture<Void> late = new CompletableFuture<>();
        focusing = late;
        CompletableFuture<Answer<JoinedRoom>> answer =
                a.open("adi").beginJoin("r").toCompletableFuture();
        settle();
        loop.advance(PresenceSettings.ANSWER_TIME.multipliedBy(2));
        ok(get(answer));
        late.completeExceptionally(new IllegalStateException("Redis does not answer"));
        loop.advance(Duration.ofSeconds(30));

        assertThat(b.list("r")).containsExactly("adi");
    }

    @Test
    void f54_theSweepMakesUpForALostMessage() {
        Client adi = joined();
        memory.mute(true);
        long missed = b.open("citra").join("r").listing().page().revision();
        settle();
        memory.mute(false);
        assertThat(adi.lastNews().revision()).isLessThan(missed);
        a.check();
        settle();

        assertThat(adi.lastNews().revision()).isEqualTo(missed);
        assertThat(adi.lastNews().truncated()).isTrue();
    }

    @Test
    void f54_theSweepMakesUpForALostMessageAboutTheRules() {
        Client adi = joined();
        memory.mute(true);
        get(memory.stores().settings().write(ROOM, new RoomSettings(Duration.ofMinutes(7), null, null)));
        settle();
        memory.mute(false);
        assertThat(ok(adi.heartbeat("r")).ttl()).isEqualTo(SETTINGS.ttl());
        a.check();

        assertThat(ok(adi.heartbeat("r")).ttl()).isEqualTo(Duration.ofMinutes(7));
    }

    @Test
    void f54_theSweepMakesUpForALostMessageAboutAGracePeriod() {
        Client adi = a.open("adi");
        Client budi = b.open("budi");
        adi.join("r");
        budi.join("r");
        settle();
        memory.mute(true);
        budi.close();
        memory.mute(false);
        a.check();
        loop.advance(SETTINGS.grace());
        settle();

        assertThat(adi.left()).containsExactly("budi disconnected");
    }

    @Test
    void aMessageSentDuringTheSweepArrivesWithItsNames() {
        Client adi = joined();
        b.open("citra").join("r");
        a.check();
        settle();

        assertThat(adi.joined()).contains("citra");
        assertThat(adi.news).noneMatch(RoomNews::truncated);
    }

    @Test
    void aRevisionBelowOneAlreadySentIsRaisedForEveryNode() {
        Client adi = a.open("adi");
        Client budi = b.open("budi");
        adi.join("r");
        budi.join("r");
        settle();
        assertThat(adi.joined()).contains("budi");
        long told = adi.lastNews().revision();
        memory.setRevision(ROOM, told - 1);
        a.check();
        settle();

        for (Client client : List.of(adi, budi)) {
            assertThat(client.lastNews().revision()).isGreaterThan(told);
            assertThat(client.lastNews().truncated()).isTrue();
        }
        assertThat(get(memory.stores().rooms().count(ROOM)).revision())
                .isEqualTo(budi.lastNews().revision());
    }

    @Test
    void f26_aRevisionThatIsGoneIsRaised() {
        Client adi = joined();
        long told = adi.lastNews().revision();
        memory.setRevision(ROOM, 0);
        a.check();
        settle();

        assertThat(adi.lastNews().revision()).isGreaterThan(told);
        assertThat(adi.lastNews().truncated()).isTrue();
    }

    @Test
    void f56_aChangeOfARedisThatWasFlushedAfterItsClockWasAnHourAheadIsHeardAtOnce() {
        Client adi = joined();
        long told = adi.lastNews().revision();
        memory.setRevision(ROOM, told - Duration.ofHours(1).toMillis());
        b.open("citra").join("r");
        settle();

        assertThat(adi.lastNews().revision()).isGreaterThan(told);
        assertThat(adi.lastNews().truncated()).isTrue();
    }

    @Test
    void f53_aClientWhoseNodeDiedBeforeItSawThatRedisWentBackListsAgain() {
        Client adi = alone();
        long heard = adi.lastNews().revision();
        memory.setRevision(ROOM, heard - 2);
        Client moved = b.takeOver(adi, "r", heard);
        settle();

        assertThat(moved.lastNews().revision()).isGreaterThan(heard);
        assertThat(moved.lastNews().truncated()).isTrue();
    }

    @Test
    void f53_soDoesOneForWhomOtherChangesHaveTakenTheRevisionsThatItKnows() {
        Client adi = alone();
        long heard = adi.lastNews().revision();
        memory.interrupt();
        Client moved = b.takeOver(adi, "r", heard);
        settle();

        assertThat(moved.lastNews().revision()).isGreaterThan(heard);
        assertThat(moved.lastNews().truncated()).isTrue();
    }

    @Test
    void aRevisionThatWasNeverToldIsIgnored() {
        Client adi = alone();
        Client moved = b.takeOver(adi, "r", (1L << 53) - 1);
        settle();

        assertThat(moved.news).isEmpty();
    }

    @Test
    void aClientThatMovesHearsNothingIfNothingHasHappened() {
        Client adi = alone();
        Client moved = b.takeOver(adi, "r", adi.lastNews().revision());
        settle();

        assertThat(moved.news).isEmpty();
    }

    /** A client on a node of its own that has heard of a join and a leave. */
    private Client alone() {
        Client adi = a.open("adi");
        adi.join("r");
        Client citra = a.open("citra");
        citra.join("r");
        settle();
        citra.leave("r");
        settle();
        assertThat(adi.left()).containsExactly("citra left");
        return adi;
    }

    /** A client in the room that has heard of a later join. */
    private Client joined() {
        Client adi = a.open("adi");
        adi.join("r");
        b.open("budi").join("r");
        settle();
        assertThat(adi.joined()).contains("budi");
        return adi;
    }
}
