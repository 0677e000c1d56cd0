package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A question about rooms that concurrent callers share: at most one is under way per room, and one more waits. Every
 * caller gets an answer to a question that was asked after they called. After a question about a crowded room comes a
 * pause, so that the room does not keep Redis busy; it ends early if many wait. Lives on the loop and completes there.
 */
final class SharedQuery<T> {
    /**
     * A question about a crowded room costs Redis about 1 µs per user. So it takes up to 4 % of Redis' time per node.
     */
    private static final Duration PER_USER = Duration.ofNanos(25_000);

    /** A caller has to be answered in time. */
    private static final Duration LONGEST = Duration.ofMillis(1250);

    /** With this many callers waiting, the next count is worth its cost at once. */
    private static final int MANY = 50;

    private final Function<RoomId, CompletionStage<T>> question;
    private final ToLongFunction<T> users;
    private final Loop loop;
    private final Map<RoomId, Running<T>> running = new HashMap<>();

    /** A question, and the pause after it. */
    private static final class Running<T> {
        final CompletableFuture<T> next = new CompletableFuture<>();
        int waiting;
        Loop.@Nullable Timer pause;
    }

    /** @param users how many users the room had, by the answer */
    SharedQuery(Function<RoomId, CompletionStage<T>> question, ToLongFunction<T> users, Loop loop) {
        this.question = question;
        this.users = users;
        this.loop = loop;
    }

    CompletionStage<T> about(RoomId room) {
        Running<T> current = running.get(room);
        if (current == null) {
            CompletableFuture<T> result = new CompletableFuture<>();
            start(room, result);
            return result;
        }
        current.waiting++;
        if (current.pause != null && current.waiting >= MANY) {
            current.pause.cancel();
            end(room, current);
        }
        return current.next.copy();
    }

    private void start(RoomId room, CompletableFuture<T> result) {
        Running<T> current = new Running<>();
        running.put(room, current);
        long began = loop.nanos();
        question.apply(room)
                .whenCompleteAsync(
                        (answer, failed) -> {
                            Duration pause = failed == null && current.waiting < MANY
                                    ? pauseAfter(answer).minusNanos(loop.nanos() - began)
                                    : Duration.ZERO;
                            if (pause.isNegative() || pause.isZero()) {
                                end(room, current);
                            } else {
                                current.pause = loop.after(pause, () -> end(room, current));
                            }
                            Stages.into(result).accept(answer, failed);
                        },
                        loop);
    }

    private void end(RoomId room, Running<T> current) {
        running.remove(room);
        if (current.waiting > 0) {
            start(room, current.next);
        }
    }

    /** How long after this answer's question the next may begin. */
    private Duration pauseAfter(T answer) {
        long inRoom = users.applyAsLong(answer);
        if (inRoom <= Roster.MOST) {
            return Duration.ZERO;
        }
        Duration pause = PER_USER.multipliedBy(inRoom);
        return pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
    }
}
