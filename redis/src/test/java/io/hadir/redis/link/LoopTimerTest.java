package io.hadir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.Logs;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.lang.ref.WeakReference;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopTimerTest {
    private final EventExecutor thread = new DefaultEventExecutor();
    private final LettuceResources.LoopTimer timer = new LettuceResources.LoopTimer(thread);
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @AfterEach
    void end() {
        thread.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private TimerTask says(String word) {
        return deadline -> heard.add(word + (thread.inEventLoop() ? " on the thread" : " elsewhere"));
    }

    /** Nothing comes due in between, however slow this machine is. */
    private <T> T onTheThread(Callable<T> made) throws Exception {
        return thread.submit(made).get(10, TimeUnit.SECONDS);
    }

    @Test
    void deadlinesComeDueInTheirOrderOnTheThread() throws Exception {
        Timeout late = onTheThread(() -> {
            Timeout later = timer.newTimeout(says("late"), 40, TimeUnit.MILLISECONDS);
            timer.newTimeout(says("early"), 20, TimeUnit.MILLISECONDS);
            assertThat(later.isExpired()).isFalse();
            return later;
        });
        assertThat(heard.poll(10, TimeUnit.SECONDS)).isEqualTo("early on the thread");
        assertThat(heard.poll(10, TimeUnit.SECONDS)).isEqualTo("late on the thread");
        assertThat(late.isExpired()).isTrue();
        assertThat(late.cancel()).isFalse();
    }

    @Test
    void aCommandAnsweredInTimeNeverComesDue() throws Exception {
        Timeout answered = onTheThread(() -> {
            Timeout inTime = timer.newTimeout(says("answered"), 20, TimeUnit.MILLISECONDS);
            timer.newTimeout(says("the next"), 40, TimeUnit.MILLISECONDS);
            assertThat(inTime.cancel()).isTrue();
            return inTime;
        });
        assertThat(answered.isCancelled()).isTrue();
        assertThat(heard.poll(10, TimeUnit.SECONDS)).isEqualTo("the next on the thread");
        assertThat(answered.isExpired()).isFalse();
    }

    /** The reason for this timer: a command and its answer do not live until their deadline. */
    @Test
    void aCommandAnsweredInTimeIsReleased() {
        WeakReference<Object> answer = answered();
        await().until(() -> {
            System.gc();
            return answer.get() == null;
        });
    }

    private WeakReference<Object> answered() {
        Object answer = new Object();
        timer.newTimeout(deadline -> heard.add(answer.toString()), 1, TimeUnit.HOURS)
                .cancel();
        return new WeakReference<>(answer);
    }

    @Test
    void aFailedDeadlineIsLoggedAndTheOthersStillComeDue() throws Exception {
        try (Logs logs = Logs.listen()) {
            timer.newTimeout(
                    deadline -> {
                        throw new IllegalStateException("broken");
                    },
                    10,
                    TimeUnit.MILLISECONDS);
            timer.newTimeout(says("the next"), 30, TimeUnit.MILLISECONDS);
            assertThat(heard.poll(10, TimeUnit.SECONDS)).isEqualTo("the next on the thread");
            assertThat(logs.troubles()).singleElement().asString().contains("a deadline of the Redis client failed");
        }
    }
}
