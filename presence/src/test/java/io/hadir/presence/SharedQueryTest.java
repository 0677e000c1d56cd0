package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Roster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Concurrent callers share a question, and questions about crowded rooms keep their distance. */
class SharedQueryTest {
    private static final RoomId ROOM = new RoomId("r");
    private static final RoomId OTHER = new RoomId("other");
    private static final long CROWD = 10_000;
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final TestLoop loop = new TestLoop();
    private final List<CompletableFuture<Long>> asked = new ArrayList<>();
    private final SharedQuery<Long> counts = new SharedQuery<>(this::ask, count -> count, loop);

    private CompletableFuture<Long> ask(RoomId room) {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        asked.add(answer);
        return answer;
    }

    private void answer(long count) {
        asked.get(asked.size() - 1).complete(count);
        loop.run();
    }

    @Test
    void callersWhoComeDuringAQuestionShareTheNext() {
        CompletableFuture<Long> first = call(ROOM);
        CompletableFuture<Long> second = call(ROOM);
        CompletableFuture<Long> third = call(ROOM);
        assertThat(asked).hasSize(1);

        answer(1);
        assertThat(first).isCompletedWithValue(1L);
        assertThat(second).isNotDone();

        answer(2);
        assertThat(second).isCompletedWithValue(2L);
        assertThat(third).isCompletedWithValue(2L);
        assertThat(asked).hasSize(2);
    }

    @Test
    void aSmallRoomIsNeverPaused() {
        call(ROOM);
        answer(Roster.MOST);
        call(ROOM);
        assertThat(asked).hasSize(2);
    }

    @Test
    void theNextQuestionAboutACrowdedRoomWaitsAndIsShared() {
        CompletableFuture<Long> first = call(ROOM);
        answer(CROWD);
        assertThat(first).isCompletedWithValue(CROWD);

        CompletableFuture<Long> second = call(ROOM);
        loop.advance(PAUSE.minusMillis(1));
        CompletableFuture<Long> third = call(ROOM);
        assertThat(asked).hasSize(1);
        loop.advance(Duration.ofMillis(1));
        assertThat(asked).hasSize(2);

        answer(CROWD + 1);
        assertThat(second).isCompletedWithValue(CROWD + 1);
        assertThat(third).isCompletedWithValue(CROWD + 1);
    }

    @Test
    void thePauseBeginsWithTheQuestion() {
        call(ROOM);
        loop.advance(PAUSE);
        answer(CROWD);
        call(ROOM);
        assertThat(asked).hasSize(2);
    }

    @Test
    void theLargestRoomIsPausedBrieflyEnoughForAnAnswerInTime() {
        Duration longest = Duration.ofMillis(1250);
        assertThat(longest).isLessThan(PresenceSettings.ANSWER_TIME);

        call(ROOM);
        answer(10_000_000);
        call(ROOM);
        loop.advance(longest.minusMillis(1));
        assertThat(asked).hasSize(1);
        loop.advance(Duration.ofMillis(1));
        assertThat(asked).hasSize(2);
    }

    @Test
    void aPauseEndsWhenManyWait() {
        call(ROOM);
        answer(CROWD);
        List<CompletableFuture<Long>> waiting = new ArrayList<>();
        for (int i = 0; i < 49; i++) {
            waiting.add(call(ROOM));
        }
        assertThat(asked).hasSize(1);
        waiting.add(call(ROOM));
        assertThat(asked).hasSize(2);

        answer(CROWD);
        assertThat(waiting).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(CROWD));
        loop.advance(PAUSE);
        assertThat(asked).hasSize(2);
    }

    @Test
    void thereIsNoPauseIfManyWaitAlready() {
        for (int i = 0; i < 51; i++) {
            call(ROOM);
        }
        answer(CROWD);
        assertThat(asked).hasSize(2);
    }

    @Test
    void aPausedRoomHoldsUpNoOther() {
        call(ROOM);
        answer(CROWD);
        call(ROOM);
        call(OTHER);
        assertThat(asked).hasSize(2);
    }

    @Test
    void nobodyAsksAfterAPauseWithoutCallers() {
        call(ROOM);
        answer(CROWD);
        loop.advance(PAUSE);
        assertThat(asked).hasSize(1);
        call(ROOM);
        assertThat(asked).hasSize(2);
    }

    @Test
    void aFailedQuestionIsAskedAgainAtOnce() {
        CompletableFuture<Long> first = call(ROOM);
        CompletableFuture<Long> second = call(ROOM);
        asked.get(0).completeExceptionally(new IllegalStateException("down"));
        loop.run();
        assertThat(first).isCompletedExceptionally();
        assertThat(asked).hasSize(2);
        answer(CROWD);
        assertThat(second).isCompletedWithValue(CROWD);
    }

    private CompletableFuture<Long> call(RoomId room) {
        return counts.about(room).toCompletableFuture();
    }
}
