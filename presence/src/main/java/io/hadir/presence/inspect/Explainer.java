package io.hadir.presence.inspect;

import io.hadir.presence.Answers;
import io.hadir.presence.RoomStore;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.PresenceScan;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Explains why a user is in a room or not. May be called from any thread. */
public final class Explainer {
    /** A scan reads every key, so it may take longer than other answers. */
    private static final long SCAN_SECONDS = 30;

    private final RoomStore store;
    private final PresenceScan scan;
    private final SeatRecords records;
    private final Nodes nodes;
    private final Answers answers;

    public Explainer(RoomStore store, PresenceScan scan, SeatRecords records, Nodes nodes, Loop loop) {
        this.store = store;
        this.scan = scan;
        this.records = records;
        this.nodes = nodes;
        this.answers = new Answers(loop);
    }

    public CompletionStage<Answer<Explanation>> explain(Seat seat) {
        return answers.inTime(() -> records.read(seat)
                .thenCompose(
                        record -> aliveNodes(record).thenApply(alive -> Answer.ok(new Explanation(record, alive)))));
    }

    private CompletionStage<Optional<Set<String>>> aliveNodes(SeatRecord record) {
        SeatRecord.LivePresence presence = record.presence();
        return presence == null || presence.sockets().isEmpty()
                ? CompletableFuture.completedFuture(Optional.of(Set.of()))
                : nodes.alive(presence.sockets().stream().map(SocketId::node).collect(Collectors.toSet()));
    }

    /** A page of the room's list that says why each user is listed. */
    public CompletionStage<Answer<Listing>> list(RoomId room, @Nullable Position after, int limit) {
        return answers.inTime(() -> store.listWithEvidence(room, after, limit)
                .thenCombine(store.count(room), (page, count) -> Answer.ok(new Listing(room, page, count.alive()))));
    }

    /** Like {@link #list}, but from a scan of all keys instead of the room's hints. */
    public CompletionStage<Answer<Listing>> scan(RoomId room, @Nullable Position after, int limit) {
        return scan.list(room)
                .thenApply(all -> Answer.ok(page(room, all, after, limit)))
                .toCompletableFuture()
                .completeOnTimeout(Answer.refused(PresenceError.unavailable()), SCAN_SECONDS, TimeUnit.SECONDS)
                .exceptionally(failed -> Answer.refused(PresenceError.unavailable()));
    }

    private static Listing page(RoomId room, Page all, @Nullable Position after, int limit) {
        List<Participant> behind = all.participants().stream()
                .filter(participant -> after == null || participant.position().compareTo(after) > 0)
                .sorted((one, other) -> one.position().compareTo(other.position()))
                .toList();
        boolean more = behind.size() > limit;
        List<Participant> page = more ? behind.subList(0, limit) : behind;
        Position next = more ? page.get(limit - 1).position() : null;
        return new Listing(
                room, new Page(page, next, all.revision()), all.participants().size());
    }
}
