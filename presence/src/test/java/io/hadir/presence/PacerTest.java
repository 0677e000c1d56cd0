package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.contract.TestLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class PacerTest {
    private final TestLoop loop = new TestLoop();
    private final Pacer pacer = new Pacer(2, loop);
    private final List<CompletableFuture<String>> taken = new ArrayList<>();

    @Test
    void aBoundedNumberIsUnderWayAndTheOthersFollowInOrder() {
        List<CompletionStage<String>> steps = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            steps.add(take());
        }
        assertThat(taken).hasSize(2);

        taken.get(0).complete("one");
        run();
        assertThat(taken).hasSize(3);
        assertThat(steps.get(0).toCompletableFuture()).isCompletedWithValue("one");

        taken.get(2).complete("three");
        taken.get(1).completeExceptionally(new IllegalStateException("no answer"));
        run();
        assertThat(taken).hasSize(5);
        assertThat(steps.get(1).toCompletableFuture()).isCompletedExceptionally();
        assertThat(steps.get(2).toCompletableFuture()).isCompletedWithValue("three");
    }

    @Test
    void manyStepsThatEndAtOnceDoNotPileUp() {
        CompletionStage<String> last = pacer.take(CompletableFuture::new);
        pacer.take(CompletableFuture::new);
        List<Integer> ended = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            int number = i;
            pacer.take(() -> CompletableFuture.completedFuture(number)).thenAccept(ended::add);
        }
        last.toCompletableFuture().complete("go");
        run();
        assertThat(ended).hasSize(100_000).isSorted();
    }

    @Test
    void aStepThatThrowsGivesUpItsPlace() {
        for (int i = 0; i < 3; i++) {
            CompletionStage<String> broken = pacer.take(() -> {
                throw new IllegalStateException("a bug");
            });
            run();
            assertThat(broken.toCompletableFuture()).isCompletedExceptionally();
        }
        take();
        assertThat(taken).hasSize(1);
    }

    private CompletionStage<String> take() {
        return pacer.take(() -> {
            CompletableFuture<String> step = new CompletableFuture<>();
            taken.add(step);
            return step;
        });
    }

    private void run() {
        loop.advance(Duration.ofMillis(1));
    }
}
