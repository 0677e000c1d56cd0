package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoalescerTest {
    private final Coalescer coalescer = new Coalescer();

    @Test
    void aBatchCoversTheChangesAfterItsFirstRevisionUpToItsLast() {
        coalescer.add(joined(11, "ani"), null);
        coalescer.add(joined(12, "budi"), null);
        coalescer.add(left(13, "citra"), null);
        Coalescer.Batch batch = coalescer.drain().orElseThrow();
        assertThat(batch.from()).isEqualTo(10);
        assertThat(batch.to()).isEqualTo(13);
        assertThat(batch.joined()).extracting(one -> one.user().value()).containsExactly("ani", "budi");
        assertThat(batch.left()).extracting(one -> one.user().value()).containsExactly("citra");
        assertThat(batch.missed()).isFalse();
        assertThat(coalescer.drain()).isEmpty();
    }

    @Test
    void aJoinAndALeaveCancelEachOtherButStillCount() {
        coalescer.add(joined(11, "ani"), null);
        coalescer.add(left(12, "ani"), null);
        Coalescer.Batch batch = coalescer.drain().orElseThrow();
        assertThat(batch.from()).isEqualTo(10);
        assertThat(batch.to()).isEqualTo(12);
        assertThat(batch.joined()).isEmpty();
        assertThat(batch.left()).isEmpty();
    }

    @Test
    void whoJoinsAndChangesItsNameHasJoinedWithTheNewOne() {
        coalescer.add(joined(11, "ani"), null);
        coalescer.add(updated(12, "ani", "Ani!"), null);
        Coalescer.Batch batch = coalescer.drain().orElseThrow();
        assertThat(batch.joined()).extracting(Participant::username).containsExactly("Ani!");
        assertThat(batch.updated()).isEmpty();
        assertThat(batch.to()).isEqualTo(12);
    }

    @Test
    void whoChangesItsNameSeveralTimesHasTheLast() {
        coalescer.add(updated(11, "ani", "Ani"), null);
        coalescer.add(updated(12, "ani", "Ani!"), null);
        Coalescer.Batch batch = coalescer.drain().orElseThrow();
        assertThat(batch.updated()).extracting(Participant::username).containsExactly("Ani!");
        assertThat(batch.from()).isEqualTo(10);
        assertThat(batch.to()).isEqualTo(12);
    }

    @Test
    void whoChangesItsNameAndLeavesHasLeft() {
        coalescer.add(updated(11, "ani", "Ani!"), null);
        coalescer.add(left(12, "ani"), null);
        Coalescer.Batch batch = coalescer.drain().orElseThrow();
        assertThat(batch.updated()).isEmpty();
        assertThat(batch.left()).extracting(one -> one.user().value()).containsExactly("ani");
    }

    @Test
    void whoLeavesAndComesBackIsShownAsItIsNow() {
        coalescer.add(left(11, "ani"), null);
        coalescer.add(joined(12, "ani"), null);
        coalescer.add(updated(13, "ani", "Ani!"), null);
        Coalescer.Batch batch = coalescer.drain().orElseThrow();
        assertThat(batch.joined()).isEmpty();
        assertThat(batch.left()).isEmpty();
        assertThat(batch.updated()).extracting(Participant::username).containsExactly("Ani!");
    }

    @Test
    void whoJoinsChangesItsNameAndLeavesWasNeverThere() {
        coalescer.add(joined(11, "ani"), null);
        coalescer.add(updated(12, "ani", "Ani!"), null);
        coalescer.add(left(13, "ani"), null);
        Coalescer.Batch batch = coalescer.drain().orElseThrow();
        assertThat(batch.joined()).isEmpty();
        assertThat(batch.updated()).isEmpty();
        assertThat(batch.left()).isEmpty();
        assertThat(batch.to()).isEqualTo(13);
    }

    @Test
    void whatIsKnownAlreadyIsNotToldAgain() {
        coalescer.begin(20);
        assertThat(coalescer.add(joined(20, "ani"), null)).isFalse();
        assertThat(coalescer.add(joined(21, "budi"), null)).isTrue();
        assertThat(coalescer.drain().orElseThrow().from()).isEqualTo(20);
        assertThat(coalescer.told()).isEqualTo(21);
    }

    @Test
    void aGapIsToldAsOne() {
        coalescer.begin(20);
        coalescer.add(joined(23, "ani"), null);
        Coalescer.Batch batch = coalescer.drain().orElseThrow();
        assertThat(batch.from()).isEqualTo(20);
        assertThat(batch.to()).isEqualTo(23);
        assertThat(batch.missed()).isTrue();
    }

    @Test
    void afterALostLinkTheRoomIsToldUpToItsRevision() {
        coalescer.begin(20);
        assertThat(coalescer.reach(20)).isFalse();
        assertThat(coalescer.reach(25)).isTrue();
        assertThat(coalescer.drain().orElseThrow().missed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0,50", "100,50", "200,100", "500,250", "3999,1999", "4000,2000", "50000,2000"})
    void largeRoomsAreToldLessOften(long participants, long millis) {
        assertThat(Coalescer.window(participants).toMillis()).isEqualTo(millis);
    }

    private static RoomChange joined(long revision, String user) {
        return new RoomChange.Joined(revision, new Participant(new UserId(user), user, Instant.EPOCH, Instant.EPOCH));
    }

    private static RoomChange updated(long revision, String user, String name) {
        return new RoomChange.Updated(revision, new Participant(new UserId(user), name, Instant.EPOCH, Instant.EPOCH));
    }

    private static RoomChange left(long revision, String user) {
        return new RoomChange.Left(revision, new UserId(user), RemovalReason.LEFT, null);
    }
}
