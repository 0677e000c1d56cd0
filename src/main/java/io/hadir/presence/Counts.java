package io.hadir.presence;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Counts rooms, once for all who ask while a count of that room is under way. Whoever asks gets a count that was begun
 * afterwards. Lives on the loop, and completes there.
 */
final class Counts {
    private final PresenceStore store;
    private final Loop loop;
    private final Map<RoomId, Running> running = new HashMap<>();

    private static final class Running {
        final CompletableFuture<PresenceStore.Headcount> next = new CompletableFuture<>();
        boolean wanted;
    }

    Counts(PresenceStore store, Loop loop) {
        this.store = store;
        this.loop = loop;
    }

    CompletionStage<PresenceStore.Headcount> count(RoomId room) {
        Running current = running.get(room);
        if (current != null) {
            current.wanted = true;
            return current.next.copy();
        }
        CompletableFuture<PresenceStore.Headcount> result = new CompletableFuture<>();
        start(room, result);
        return result;
    }

    private void start(RoomId room, CompletableFuture<PresenceStore.Headcount> result) {
        Running current = new Running();
        running.put(room, current);
        store.count(room)
                .whenCompleteAsync(
                        (count, failed) -> {
                            running.remove(room);
                            if (current.wanted) {
                                start(room, current.next);
                            }
                            Stages.into(result).accept(count, failed);
                        },
                        loop);
    }
}
