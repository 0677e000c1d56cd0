package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A question about rooms that concurrent callers share: at most one is under way per room, and one more waits. Every
 * caller gets an answer to a question that was asked after they called. Lives on the loop and completes there.
 */
final class SharedQuery<T> {
    private final Function<RoomId, CompletionStage<T>> question;
    private final Loop loop;
    private final Map<RoomId, Running<T>> running = new HashMap<>();

    private static final class Running<T> {
        final CompletableFuture<T> next = new CompletableFuture<>();
        boolean wanted;
    }

    SharedQuery(Function<RoomId, CompletionStage<T>> question, Loop loop) {
        this.question = question;
        this.loop = loop;
    }

    CompletionStage<T> about(RoomId room) {
        Running<T> current = running.get(room);
        if (current != null) {
            current.wanted = true;
            return current.next.copy();
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        start(room, result);
        return result;
    }

    private void start(RoomId room, CompletableFuture<T> result) {
        Running<T> current = new Running<>();
        running.put(room, current);
        question.apply(room)
                .whenCompleteAsync(
                        (answer, failed) -> {
                            running.remove(room);
                            if (current.wanted) {
                                start(room, current.next);
                            }
                            Stages.into(result).accept(answer, failed);
                        },
                        loop);
    }
}
