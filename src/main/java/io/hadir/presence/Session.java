package io.hadir.presence;

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

/** One local socket as presence sees it. Its steps are taken one after the other, in the order in which they came. */
final class Session {
    final SocketId id;
    final @Nullable UserId authenticated;
    final Map<Seat, Membership> memberships = new LinkedHashMap<>();
    private final Set<RoomId> absences = new LinkedHashSet<>();
    private final int mostAbsences;
    private CompletableFuture<@Nullable Void> last = CompletableFuture.completedFuture(null);
    private Predicate<RoomId> permitted;
    private long turn;

    Session(SocketId id, @Nullable UserId authenticated, Predicate<RoomId> permitted, int mostRooms) {
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
        CompletionStage<T> taken = last.isDone() ? step.get() : last.thenCompose(ended -> step.get());
        // Not what comes of it, which may be a long list.
        last = taken.<@Nullable Void>handle((done, failed) -> null).toCompletableFuture();
        return taken;
    }

    /** Whether a step is under way. */
    boolean isBusy() {
        return !last.isDone();
    }

    long nextTurn() {
        return ++turn;
    }

    /** The client knows that it is not in this room: it left, or was told. The oldest of too many are forgotten. */
    void noteAbsence(RoomId room) {
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
    boolean knowsAbsence(RoomId room) {
        return absences.contains(room);
    }
}
