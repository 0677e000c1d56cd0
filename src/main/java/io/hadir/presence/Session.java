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
    private static final int REMEMBERED_LEAVES = 100;

    final SocketId id;
    final @Nullable UserId authenticated;
    final Map<Seat, Membership> memberships = new LinkedHashMap<>();
    private final Set<RoomId> left = new LinkedHashSet<>();
    private CompletableFuture<@Nullable Void> last = CompletableFuture.completedFuture(null);
    private Predicate<RoomId> permitted;
    private long turn;

    Session(SocketId id, @Nullable UserId authenticated, Predicate<RoomId> permitted) {
        this.id = id;
        this.authenticated = authenticated;
        this.permitted = permitted;
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

    void rememberLeave(RoomId room) {
        left.add(room);
        if (left.size() > REMEMBERED_LEAVES) {
            Iterator<RoomId> oldest = left.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    void forgetLeave(RoomId room) {
        left.remove(room);
    }

    /** Whether the socket left this room by itself and did not come back. */
    boolean hasLeft(RoomId room) {
        return left.contains(room);
    }
}
