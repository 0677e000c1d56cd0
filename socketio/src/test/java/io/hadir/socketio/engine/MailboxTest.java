package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MailboxTest {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(3, NioIoHandler.newFactory());

    private record Mail(int sender, int number) {}

    private record Move(EventLoop to) {}

    /** Notes what it handles, and whether that was done one at a time and at home. */
    private static final class Notes extends Mailbox {
        final List<Object> handled = new ArrayList<>();
        final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        final Queue<Integer> settledAfter = new ConcurrentLinkedQueue<>();
        final List<Throwable> failures = new ArrayList<>();
        private final AtomicBoolean busy = new AtomicBoolean();

        Notes(EventLoop home) {
            super(home);
        }

        @Override
        void handle(Object task) {
            if (!busy.compareAndSet(false, true)) {
                wrong.add("two at a time");
            }
            if (!home().inEventLoop()) {
                wrong.add("not at home");
            }
            try {
                if (task instanceof Move move) {
                    moveTo(move.to);
                } else if (task instanceof Runnable runnable) {
                    runnable.run();
                } else {
                    handled.add(task);
                }
            } finally {
                busy.set(false);
            }
        }

        @Override
        void settled() {
            if (!home().inEventLoop()) {
                wrong.add("settled elsewhere");
            }
            settledAfter.add(handled.size());
        }

        @Override
        void failed(Throwable failure) {
            failures.add(failure);
        }

        void flush() throws InterruptedException {
            CountDownLatch done = new CountDownLatch(1);
            post((Runnable) done::countDown);
            assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void itIsSettledOnceForAllThatWasPostedMeanwhile() throws Exception {
        Notes notes = new Notes(loops.next());
        CountDownLatch posted = new CountDownLatch(1);
        notes.post((Runnable) () -> {
            try {
                assertThat(posted.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        for (int i = 0; i < 5; i++) {
            notes.post(new Mail(0, i));
        }
        posted.countDown();

        await().until(() -> !notes.settledAfter.isEmpty());
        assertThat(notes.settledAfter).containsExactly(5);
        assertThat(notes.failures).isEmpty();
        assertThat(notes.wrong).isEmpty();
    }

    @Test
    void theOrderOfEachSenderSurvivesMovesOfTheHome() throws Exception {
        int senders = 4;
        int mails = 20_000;
        Notes notes = new Notes(loops.next());
        List<Thread> threads = new ArrayList<>();
        for (int s = 0; s < senders; s++) {
            int sender = s;
            threads.add(new Thread(() -> {
                Random random = new Random(sender);
                for (int i = 0; i < mails; i++) {
                    notes.post(new Mail(sender, i));
                    if (random.nextInt(50) == 0) {
                        notes.post(new Move(loops.next()));
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(20_000);
        }
        notes.flush();

        assertThat(notes.wrong).isEmpty();
        assertThat(notes.failures).isEmpty();
        int[] next = new int[senders];
        for (Object task : notes.handled) {
            Mail mail = (Mail) task;
            assertThat(mail.number).isEqualTo(next[mail.sender]++);
        }
        assertThat(next).containsOnly(mails);
    }

    @Test
    void whoEntersHasTheMailboxForItself() throws Exception {
        Notes notes = new Notes(loops.next());
        CountDownLatch done = new CountDownLatch(1);
        List<Object> seenInside = new ArrayList<>();
        notes.home().execute(() -> {
            assertThat(notes.enter()).isTrue();
            assertThat(notes.enter()).isFalse();
            notes.post(new Mail(0, 0));
            seenInside.addAll(notes.handled);
            notes.exit();
            done.countDown();
        });

        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        notes.flush();
        assertThat(seenInside).isEmpty();
        assertThat(notes.handled).containsExactly(new Mail(0, 0));
    }

    @Test
    void nobodyEntersFromElsewhereOrPastWaitingMail() throws Exception {
        Notes notes = new Notes(loops.next());
        assertThat(notes.enter()).isFalse();

        AtomicBoolean entered = new AtomicBoolean(true);
        CountDownLatch done = new CountDownLatch(1);
        notes.home().execute(() -> {
            notes.post(new Mail(0, 0));
            entered.set(notes.enter());
            done.countDown();
        });
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(entered).isFalse();
        notes.flush();
    }

    @Test
    void aTaskThatThrowsIsReportedAndTheNextOnesRun() throws Exception {
        Notes notes = new Notes(loops.next());
        notes.post((Runnable) () -> {
            throw new AssertionError("as asked");
        });
        notes.post(new Mail(0, 1));
        notes.flush();

        assertThat(notes.failures).hasSize(1);
        assertThat(notes.handled).containsExactly(new Mail(0, 1));
    }

    @Test
    void postingAfterTheLoopsHaveEndedIsHarmless() {
        Notes notes = new Notes(loops.next());
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        await().until(loops::isTerminated);

        notes.post(new Mail(0, 0));
        notes.post(new Mail(0, 1));
        assertThat(notes.handled).isEmpty();
    }
}
