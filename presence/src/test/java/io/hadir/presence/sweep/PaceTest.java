package io.hadir.presence.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.contract.TestLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PaceTest {
    private final TestLoop loop = new TestLoop();

    @Test
    void aScanRestsUntilItsWorkIsNoMoreThanItsShare() {
        Pace pace = new Pace(loop, 0.05);
        work(pace, Duration.ofMillis(20));
        work(pace, Duration.ofMillis(30));
        CompletableFuture<Void> rest = pace.rest().toCompletableFuture();

        loop.advance(Duration.ofMillis(940));
        assertThat(rest).isNotDone();
        loop.advance(Duration.ofMillis(20));
        assertThat(rest).isDone();
    }

    @Test
    void workIsRestedFromOnce() {
        Pace pace = new Pace(loop, 0.05);
        work(pace, Duration.ofSeconds(1));
        pace.rest();
        loop.advance(Duration.ofSeconds(20));
        CompletableFuture<Void> rest = pace.rest().toCompletableFuture();
        loop.run();
        assertThat(rest).isDone();
    }

    @Test
    void aScanThatMayTakeEverythingNeverRests() {
        Pace pace = new Pace(loop, 1);
        work(pace, Duration.ofSeconds(10));
        CompletableFuture<Void> rest = pace.rest().toCompletableFuture();
        loop.run();
        assertThat(rest).isDone();
    }

    @Test
    void anAnswerThatFailsCountsLikeAnyOther() {
        Pace pace = new Pace(loop, 0.5);
        CompletableFuture<Void> answer = new CompletableFuture<>();
        pace.measure(() -> answer);
        loop.advance(Duration.ofSeconds(1));
        answer.completeExceptionally(new IllegalStateException());
        CompletableFuture<Void> rest = pace.rest().toCompletableFuture();
        loop.advance(Duration.ofMillis(900));
        assertThat(rest).isNotDone();
        loop.advance(Duration.ofMillis(200));
        assertThat(rest).isDone();
    }

    @Test
    void aStoreThatStoodStillDoesNotStopTheScanForMinutes() {
        Pace pace = new Pace(loop, 0.05);
        work(pace, Duration.ofSeconds(20));
        CompletableFuture<Void> rest = pace.rest().toCompletableFuture();
        loop.advance(Duration.ofSeconds(4));
        assertThat(rest).isNotDone();
        loop.advance(Duration.ofSeconds(2));
        assertThat(rest).isDone();
    }

    private void work(Pace pace, Duration time) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        pace.measure(() -> answer);
        loop.advance(time);
        answer.complete(null);
    }
}
