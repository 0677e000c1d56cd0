package io.hadir.redis.link;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the commands under way to one master over one connection, so that an urgent command, such as the renewal of a
 * lease, has few others before it. Further commands wait here, in order. A command's time limit starts when it is sent:
 * a burst takes long, but none of its commands times out while Redis answers. When one does time out, Redis is silent,
 * and all waiting commands fail too. Safe for any thread.
 */
final class CommandWindow {
    private static final int MOST_WAITING = 50_000;
    private static final Duration REMEMBERED = RedisConnections.COMMAND_TIMEOUT.multipliedBy(2);

    private final int most;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private int underWay;
    private boolean sending;
    /** Whether the latest outcome was a timeout, and when. */
    private boolean silent;

    private long silentAt;

    private interface Waiting {
        void send();

        void fail(Throwable cause);
    }

    /** @param most how many commands may be under way */
    CommandWindow(int most) {
        this.most = most;
    }

    /** Whether a command timed out just now and none was answered since. */
    synchronized boolean isSilent() {
        return silent && System.nanoTime() - silentAt < REMEMBERED.toNanos();
    }

    /** Sends a command now, or when those before it have been answered. */
    <T> CompletionStage<T> send(Supplier<CompletionStage<T>> command) {
        CompletableFuture<T> answer;
        synchronized (this) {
            if (underWay < most && waiting.isEmpty()) {
                underWay++;
                answer = null;
            } else if (waiting.size() >= MOST_WAITING) {
                return CompletableFuture.failedStage(new IllegalStateException("too many commands wait for Redis"));
            } else {
                answer = new CompletableFuture<>();
                waiting.add(new Waiting() {
                    @Override
                    public void send() {
                        sendNow(command).whenComplete((value, failed) -> {
                            if (failed == null) {
                                answer.complete(value);
                            } else {
                                answer.completeExceptionally(failed);
                            }
                        });
                    }

                    @Override
                    public void fail(Throwable cause) {
                        answer.completeExceptionally(cause);
                    }
                });
            }
        }
        return answer == null ? sendNow(command) : answer;
    }

    private <T> CompletionStage<T> sendNow(Supplier<CompletionStage<T>> command) {
        return command.get().whenComplete((value, failed) -> answered(failed));
    }

    private void answered(@Nullable Throwable failed) {
        List<Waiting> lost = List.of();
        synchronized (this) {
            underWay--;
            silent = failed != null && RedisErrorText.isSilence(failed);
            if (silent) {
                silentAt = System.nanoTime();
                lost = new ArrayList<>(waiting);
                waiting.clear();
            }
        }
        if (failed != null) {
            lost.forEach(command -> command.fail(failed));
        }
        sendWaiting();
    }

    /** Only one caller at a time, and in a loop: without a connection, a command fails while it is being sent. */
    private void sendWaiting() {
        synchronized (this) {
            if (sending) {
                return;
            }
            sending = true;
        }
        for (Waiting next = next(); next != null; next = next()) {
            next.send();
        }
    }

    private synchronized @Nullable Waiting next() {
        Waiting next = underWay < most ? waiting.poll() : null;
        if (next == null) {
            sending = false;
        } else {
            underWay++;
        }
        return next;
    }
}
