package io.hadir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CommandWindowTest {
    private final CommandWindow window = new CommandWindow(2);
    private final List<CompletableFuture<String>> sent = new ArrayList<>();

    @Test
    void commandsBeyondTheBoundAreSentInOrderWhenOthersAreAnswered() {
        List<CompletableFuture<String>> answers = send(4);
        assertThat(sent).hasSize(2);

        sent.get(1).complete("second");
        assertThat(sent).hasSize(3);
        assertThat(answers.get(1)).isCompletedWithValue("second");

        sent.get(0).completeExceptionally(new IllegalStateException("ERR"));
        sent.get(2).complete("third");
        sent.get(3).complete("fourth");
        assertThat(answers.get(0)).isCompletedExceptionally();
        assertThat(answers.get(2)).isCompletedWithValue("third");
        assertThat(answers.get(3)).isCompletedWithValue("fourth");
    }

    @Test
    void aSilentRedisFailsThoseThatWaitAsWell() {
        List<CompletableFuture<String>> answers = send(1_000);

        sent.get(0).completeExceptionally(new RedisCommandTimeoutException("late"));
        assertThat(answers.subList(2, 1_000)).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(window.isSilent()).isTrue();
        assertThat(sent).hasSize(2);
        assertThat(answers.get(1)).isNotDone();
        sent.get(1).complete("late, but answered");
        assertThat(window.isSilent()).isFalse();
        assertThat(send(1).get(0)).isNotDone();
        assertThat(sent).hasSize(3);
    }

    @Test
    void commandsThatFailWhileTheyAreSentDoNotPileUp() {
        send(2);
        AtomicInteger failed = new AtomicInteger();
        for (int i = 0; i < 40_000; i++) {
            window.<String>send(() -> CompletableFuture.failedStage(new IllegalStateException("not connected")))
                    .whenComplete((value, failure) -> failed.incrementAndGet());
        }
        sent.get(0).complete("go");
        assertThat(failed).hasValue(40_000);
    }

    @Test
    void noCommandIsForgottenWhenAnswersComeOnManyThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int number = i;
            answers.add(window.send(() -> {
                        most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                        return CompletableFuture.supplyAsync(
                                () -> {
                                    underWay.decrementAndGet();
                                    return number;
                                },
                                threads);
                    })
                    .toCompletableFuture());
        }
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
        threads.shutdown();
        assertThat(most.get()).isLessThanOrEqualTo(2);
    }

    private List<CompletableFuture<String>> send(int count) {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(window.send(() -> {
                        CompletableFuture<String> answer = new CompletableFuture<>();
                        sent.add(answer);
                        return answer;
                    })
                    .toCompletableFuture());
        }
        return answers;
    }
}
