package io.hadir.presence;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One local socket as presence sees it. Its steps are taken one after the other, in the order in which they came; only
 * heartbeats that follow each other are under way together.
 */
public final class Session {
    public final SocketId id;
    final @Nullable UserId authenticated;
    public final Map<Seat, Membership> memberships = new LinkedHashMap<>();
    private final Set<RoomId> absences = new LinkedHashSet<>();
    private final int mostAbsences;
    /** The end of every step so far. */
    private CompletableFuture<@Nullable Void> last = CompletableFuture.completedFuture(null);
    /** The end of every step so far but the heartbeats after the last other one. */
    private CompletableFuture<@Nullable Void> lastOther = last;

    private long answeredAt;
    private boolean answered;
    private Predicate<RoomId> permitted;
    private long turn;

    public Session(SocketId id, @Nullable UserId authenticated, Predicate<RoomId> permitted, int mostRooms) {
        this.id = id;
        this.authenticated = authenticated;
        this.permitted = permitted;
        // Those that it was in, and as many that it came from.
        this.mostAbsences = 2 * mostRooms;
    }

    /** Whether the socket may be in this room. */
    boolean permits(RoomId room) {
        return permitted.test(room);
    }

    void restrict(Predicate<RoomId> rooms) {
        permitted = rooms;
    }

    /** Takes a step as soon as the ones before have ended, well or badly. */
    <T> CompletionStage<T> inOrder(Supplier<CompletionStage<T>> step) {
        CompletionStage<T> taken = after(last, step);
        last = ended(taken);
        lastOther = last;
        return taken;
    }

    /** Takes a heartbeat as soon as the steps before have ended that are no heartbeats. */
    <T> CompletionStage<T> besideHeartbeats(Supplier<CompletionStage<T>> heartbeat) {
        CompletionStage<T> taken = after(lastOther, heartbeat);
        CompletableFuture<@Nullable Void> before = last;
        CompletableFuture<@Nullable Void> ended = ended(taken);
        last = before.isDone() ? ended : before.thenCombine(ended, (one, other) -> null);
        return taken;
    }

    private static <T> CompletionStage<T> after(
            CompletableFuture<@Nullable Void> before, Supplier<CompletionStage<T>> step) {
        return before.isDone() ? step.get() : before.thenCompose(ended -> step.get());
    }

    /** When a step has ended, and not what came of it, which may be a long list. */
    private static CompletableFuture<@Nullable Void> ended(CompletionStage<?> step) {
        return step.<@Nullable Void>handle((done, failed) -> null).toCompletableFuture();
    }

    /** Redis has answered a step of this socket. */
    void answered(long now) {
        answered = true;
        answeredAt = now;
    }

    /** Whether Redis has answered a step of this socket within so long before now. */
    boolean wasAnsweredWithin(Duration time, long now) {
        return answered && now - answeredAt < time.toNanos();
    }

    /** Whether a step is under way. */
    public boolean isBusy() {
        return !last.isDone();
    }

    long nextTurn() {
        return ++turn;
    }

    /** The client knows that it is not in this room: it left, or was told. The oldest of too many are forgotten. */
    public void noteAbsence(RoomId room) {
        absences.remove(room);
        absences.add(room);
        if (absences.size() > mostAbsences) {
            Iterator<RoomId> oldest = absences.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** The socket is in the room again. */
    void forgetAbsence(RoomId room) {
        absences.remove(room);
    }

    /** Whether the client need not be told that it is not in this room. */
    public boolean knowsAbsence(RoomId room) {
        return absences.contains(room);
    }
}
