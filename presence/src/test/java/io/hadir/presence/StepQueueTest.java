package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The steps of one socket, and the time of their answers. */
class StepQueueTest {
    private static final Duration TIME = PresenceSettings.ANSWER_TIME;
    private static final Duration MOMENT = Duration.ofMillis(10);
    /** A late answer is looked at soon. */
    private static final Duration REFUSED = TIME.plusMillis(100);

    private final TestLoop loop = new TestLoop();
    private int timers;
    private int heartbeatsSent;
    private boolean answering;
    private final StepQueue queue = queue(new Loop() {
        @Override
        public void execute(Runnable task) {
            loop.execute(task);
        }

        @Override
        public Timer after(Duration delay, Runnable task) {
            timers++;
            return loop.after(delay, task);
        }

        @Override
        public long nanos() {
            return loop.nanos();
        }
    });

    private StepQueue queue(Loop on) {
        return new StepQueue(on, new Answers(on, () -> answering), () -> heartbeatsSent++);
    }

    @Test
    void stepsAreTakenInOrderAndHeartbeatsThatFollowEachOtherTogether() {
        List<String> taken = new ArrayList<>();
        CompletableFuture<Answer<String>> join = new CompletableFuture<>();
        CompletableFuture<Answer<String>> beat = new CompletableFuture<>();
        step(taken, "join", join);
        heartbeat(taken, "beat 1", beat);
        heartbeat(taken, "beat 2", beat);
        step(taken, "leave", new CompletableFuture<>());
        assertThat(taken).containsExactly("join");

        join.complete(Answer.ok("in"));
        assertThat(taken).containsExactly("join");
        loop.run();
        assertThat(taken).containsExactly("join", "beat 1", "beat 2");

        beat.complete(Answer.ok("alive"));
        loop.run();
        assertThat(taken).containsExactly("join", "beat 1", "beat 2", "leave");
    }

    @Test
    void onlyAStepThatWaitsForAHeartbeatHasItSent() {
        CompletableFuture<Answer<String>> join = new CompletableFuture<>();
        step(new ArrayList<>(), "join", join);
        step(new ArrayList<>(), "list", join);
        join.complete(Answer.ok("in"));
        loop.run();
        heartbeat(new ArrayList<>(), "beat 1", CompletableFuture.completedFuture(Answer.ok("alive")));
        step(new ArrayList<>(), "list", join);
        heartbeat(new ArrayList<>(), "beat 2", new CompletableFuture<>());
        heartbeat(new ArrayList<>(), "beat 3", new CompletableFuture<>());
        assertThat(heartbeatsSent).isZero();

        step(new ArrayList<>(), "leave", new CompletableFuture<>());
        assertThat(heartbeatsSent).isOne();
    }

    @Test
    void aHeartbeatThatBeginsWithAStepBehindItIsSentAtOnce() {
        CompletableFuture<Answer<String>> join = new CompletableFuture<>();
        step(new ArrayList<>(), "join", join);
        heartbeat(new ArrayList<>(), "beat", new CompletableFuture<>());
        step(new ArrayList<>(), "leave", new CompletableFuture<>());
        int sent = heartbeatsSent;
        join.complete(Answer.ok("in"));
        loop.run();

        assertThat(heartbeatsSent).isGreaterThan(sent);
    }

    @Test
    void aStepWithoutAnAnswerIsUnavailableInTime() {
        CompletableFuture<Answer<String>> answer = step(new ArrayList<>(), "join", new CompletableFuture<>());

        loop.advance(TIME.minus(MOMENT));
        assertThat(answer).isNotDone();

        loop.advance(REFUSED.minus(TIME).plus(MOMENT));
        assertThat(code(answer)).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
    }

    @Test
    void aStoreThatAnswersOthersIsWaitedFor() {
        CompletableFuture<Answer<String>> step = new CompletableFuture<>();
        answering = true;
        CompletableFuture<Answer<String>> answer = step(new ArrayList<>(), "join", step);
        CompletableFuture<Answer<String>> behind = step(new ArrayList<>(), "list", new CompletableFuture<>());

        loop.advance(TIME.multipliedBy(4));
        assertThat(answer).isNotDone();
        step.complete(Answer.ok("in"));
        assertThat(answer.join()).isInstanceOf(Answer.Ok.class);

        loop.advance(TIME);
        assertThat(behind).isNotDone();
        answering = false;
        loop.advance(REFUSED.minus(TIME).plus(MOMENT));
        assertThat(code(behind)).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
    }

    @Test
    void nobodyIsWaitedForForever() {
        answering = true;
        CompletableFuture<Answer<String>> answer = step(new ArrayList<>(), "join", new CompletableFuture<>());

        loop.advance(Duration.ofSeconds(61));
        assertThat(code(answer)).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
    }

    @Test
    void stepsBehindOneThatThePartOfTheStoreFailedAreRefusedInTimeThoughOtherPartsAnswer() {
        answering = true;
        CompletableFuture<Answer<String>> failing = new CompletableFuture<>();
        step(new ArrayList<>(), "join", failing);
        CompletableFuture<Answer<String>> behind = step(new ArrayList<>(), "leave", new CompletableFuture<>());

        loop.advance(TIME.dividedBy(2));
        failing.completeExceptionally(new IllegalStateException("no answer"));
        CompletableFuture<Answer<String>> later = step(new ArrayList<>(), "list", new CompletableFuture<>());
        loop.advance(REFUSED.minus(TIME.dividedBy(2)).plus(MOMENT));
        assertThat(code(behind)).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);

        loop.advance(TIME);
        assertThat(later).isNotDone();
    }

    @Test
    void aLoopThatWasTooBusyToHearTheStoreDoesNotJudgeIt() {
        CompletableFuture<Answer<String>> step = new CompletableFuture<>();
        CompletableFuture<Answer<String>> answer = step(new ArrayList<>(), "join", step);
        loop.advance(TIME);
        loop.after(Duration.ofMillis(50), () -> loop.stall(Duration.ofSeconds(1)));

        loop.advance(Duration.ofMillis(110));
        assertThat(answer).isNotDone();
        step.complete(Answer.ok("in"));
        assertThat(answer.join()).isInstanceOf(Answer.Ok.class);
    }

    @Test
    void stepsThatWaitBehindASilentOneAreRefusedWithIt() {
        CompletableFuture<Answer<String>> first = step(new ArrayList<>(), "first", new CompletableFuture<>());
        CompletableFuture<Answer<String>> second = step(new ArrayList<>(), "second", new CompletableFuture<>());

        loop.advance(REFUSED.plus(MOMENT));
        assertThat(code(first)).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        assertThat(code(second)).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
    }

    @Test
    void oneTimerServesAllAnswers() {
        for (int i = 0; i < 1_000; i++) {
            heartbeat(new ArrayList<>(), "beat", CompletableFuture.completedFuture(Answer.ok("alive")));
        }
        loop.advance(TIME.multipliedBy(2));

        assertThat(timers).isLessThanOrEqualTo(2);
    }

    private CompletableFuture<Answer<String>> step(
            List<String> taken, String name, CompletableFuture<Answer<String>> outcome) {
        CompletableFuture<Answer<String>> answer = new CompletableFuture<>();
        queue.answer(answer, reply -> {
            taken.add(name);
            return outcome;
        });
        return answer;
    }

    private void heartbeat(List<String> taken, String name, CompletableFuture<Answer<String>> outcome) {
        queue.<String>heartbeat(new CompletableFuture<>(), reply -> {
            taken.add(name);
            return outcome;
        });
    }

    private static ErrorCode code(CompletableFuture<Answer<String>> answer) {
        return ((Answer.Refused<String>) answer.join()).error().code();
    }
}
