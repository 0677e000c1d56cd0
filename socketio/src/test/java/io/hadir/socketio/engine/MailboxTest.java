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

    /** Records what it handles, and whether it did so one at a time and at home. */
    private static final class RecordingMailbox extends Mailbox {
        final List<Object> handled = new ArrayList<>();
        final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        final Queue<Integer> settledAfter = new ConcurrentLinkedQueue<>();
        final List<Throwable> failures = new ArrayList<>();
        private final AtomicBoolean busy = new AtomicBoolean();

        RecordingMailbox(EventLoop home) {
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
    void itSettlesOnceForAllTasksPostedMeanwhile() throws Exception {
        RecordingMailbox mailbox = new RecordingMailbox(loops.next());
        CountDownLatch posted = new CountDownLatch(1);
        mailbox.post((Runnable) () -> {
            try {
                assertThat(posted.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        for (int i = 0; i < 5; i++) {
            mailbox.post(new Mail(0, i));
        }
        posted.countDown();

        await().until(() -> !mailbox.settledAfter.isEmpty());
        assertThat(mailbox.settledAfter).containsExactly(5);
        assertThat(mailbox.failures).isEmpty();
        assertThat(mailbox.wrong).isEmpty();
    }

    @Test
    void eachSendersOrderSurvivesMovesOfTheHome() throws Exception {
        int senders = 4;
        int mails = 20_000;
        RecordingMailbox mailbox = new RecordingMailbox(loops.next());
        List<Thread> threads = new ArrayList<>();
        for (int s = 0; s < senders; s++) {
            int sender = s;
            threads.add(new Thread(() -> {
                Random random = new Random(sender);
                for (int i = 0; i < mails; i++) {
                    mailbox.post(new Mail(sender, i));
                    if (random.nextInt(50) == 0) {
                        mailbox.post(new Move(loops.next()));
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(20_000);
        }
        mailbox.flush();

        assertThat(mailbox.wrong).isEmpty();
        assertThat(mailbox.failures).isEmpty();
        int[] next = new int[senders];
        for (Object task : mailbox.handled) {
            Mail mail = (Mail) task;
            assertThat(mail.number).isEqualTo(next[mail.sender]++);
        }
        assertThat(next).containsOnly(mails);
    }

    @Test
    void aCallerThatEntersHasTheMailboxToItself() throws Exception {
        RecordingMailbox mailbox = new RecordingMailbox(loops.next());
        CountDownLatch done = new CountDownLatch(1);
        List<Object> seenInside = new ArrayList<>();
        mailbox.home().execute(() -> {
            assertThat(mailbox.enter()).isTrue();
            assertThat(mailbox.enter()).isFalse();
            mailbox.post(new Mail(0, 0));
            seenInside.addAll(mailbox.handled);
            mailbox.exit();
            done.countDown();
        });

        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        mailbox.flush();
        assertThat(seenInside).isEmpty();
        assertThat(mailbox.handled).containsExactly(new Mail(0, 0));
    }

    @Test
    void enterFailsOnOtherThreadsAndWhileTasksWait() throws Exception {
        RecordingMailbox mailbox = new RecordingMailbox(loops.next());
        assertThat(mailbox.enter()).isFalse();

        AtomicBoolean entered = new AtomicBoolean(true);
        CountDownLatch done = new CountDownLatch(1);
        mailbox.home().execute(() -> {
            mailbox.post(new Mail(0, 0));
            entered.set(mailbox.enter());
            done.countDown();
        });
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(entered).isFalse();
        mailbox.flush();
    }

    @Test
    void aTaskThatThrowsIsReportedAndLaterTasksRun() throws Exception {
        RecordingMailbox mailbox = new RecordingMailbox(loops.next());
        mailbox.post((Runnable) () -> {
            throw new AssertionError("as asked");
        });
        mailbox.post(new Mail(0, 1));
        mailbox.flush();

        assertThat(mailbox.failures).hasSize(1);
        assertThat(mailbox.handled).containsExactly(new Mail(0, 1));
    }

    @Test
    void postingAfterTheLoopsHaveEndedIsHarmless() {
        RecordingMailbox mailbox = new RecordingMailbox(loops.next());
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        await().until(loops::isTerminated);

        mailbox.post(new Mail(0, 0));
        mailbox.post(new Mail(0, 1));
        assertThat(mailbox.handled).isEmpty();
    }
}
