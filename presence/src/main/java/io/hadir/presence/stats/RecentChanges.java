package io.hadir.presence.stats;

import io.hadir.presence.Answers;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Who joined and left rooms lately, on all nodes. Each node gathers the changes it made and writes them together, once
 * a second at most. May be called from any thread.
 */
public final class RecentChanges {
    /** All that the log keeps. */
    public static final int MOST = 1_000;

    private static final Duration EVERY = Duration.ofSeconds(1);
    /** In one second. A node that makes more says how many it left out. */
    private static final int MOST_AT_ONCE = 200;

    private static final String JOINED = "joined";
    private static final String SKIPPED = "skipped";

    private final RecentLog log;
    private final String self;
    private final Loop loop;
    private final Answers answers;
    private List<RecentLog.Line> gathered = new ArrayList<>();
    private List<RecentLog.Line> unconfirmed = List.of();
    private long skipped;
    private long lines;

    /**
     * A user who joined or left, or how many such changes were left out.
     *
     * @param seat null if changes were left out
     * @param reason why the user left, null if they joined
     */
    public record Change(
            String id,
            Instant at,
            @Nullable Seat seat,
            @Nullable RemovalReason reason,
            long skipped) {}

    public RecentChanges(RecentLog log, String self, Loop loop) {
        this.log = log;
        this.self = self;
        this.loop = loop;
        this.answers = new Answers(loop);
    }

    /** Begins to write. */
    public void start() {
        loop.after(EVERY, () -> write().whenComplete((done, failed) -> start()));
    }

    public void joined(Seat seat) {
        gather(JOINED, seat);
    }

    public void left(Seat seat, RemovalReason reason) {
        gather(reason.wire(), seat);
    }

    private synchronized void gather(String what, Seat seat) {
        if (gathered.size() < MOST_AT_ONCE) {
            gathered.add(
                    line(what + " " + seat.room().encoded() + " " + seat.user().encoded()));
        } else {
            skipped++;
        }
    }

    private RecentLog.Line line(String text) {
        return new RecentLog.Line(String.format("%s.%012d", self, ++lines), text);
    }

    /** Writes what was gathered; what the log does not confirm is written again the next time. */
    private CompletionStage<Void> write() {
        List<RecentLog.Line> batch = next();
        return batch.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : log.add(batch).thenRun(this::confirm);
    }

    private synchronized List<RecentLog.Line> next() {
        if (unconfirmed.isEmpty()) {
            if (skipped > 0) {
                gathered.add(line(SKIPPED + " " + skipped));
                skipped = 0;
            }
            unconfirmed = gathered;
            gathered = new ArrayList<>();
        }
        return unconfirmed;
    }

    private synchronized void confirm() {
        unconfirmed = List.of();
    }

    /**
     * The latest changes, the latest first.
     *
     * @param room null for all rooms
     */
    public CompletionStage<Answer<List<Change>>> latest(@Nullable RoomId room, int limit) {
        return answers.inTime(() -> log.latest(room == null ? limit : MOST)
                .thenApply(entries -> Answer.ok(entries.stream()
                        .flatMap(entry -> read(entry).stream())
                        .filter(change -> room == null || isIn(room, change))
                        .limit(limit)
                        .toList())));
    }

    private static boolean isIn(RoomId room, Change change) {
        Seat seat = change.seat();
        return seat != null && seat.room().equals(room);
    }

    /** The change in a line; empty if a later version wrote it. */
    private static Optional<Change> read(RecentLog.Entry entry) {
        String[] words = entry.text().split(" ", -1);
        if (words[0].equals(SKIPPED) && words.length == 2 && words[1].matches("[0-9]{1,9}")) {
            return Optional.of(new Change(entry.id(), entry.at(), null, null, Long.parseLong(words[1])));
        }
        RemovalReason reason = RemovalReason.fromWire(words[0]).orElse(null);
        if (words.length != 3 || (reason == null && !words[0].equals(JOINED))) {
            return Optional.empty();
        }
        return RoomId.decode(words[1])
                .flatMap(room -> UserId.decode(words[2])
                        .map(user -> new Change(entry.id(), entry.at(), new Seat(room, user), reason, 0)));
    }
}
