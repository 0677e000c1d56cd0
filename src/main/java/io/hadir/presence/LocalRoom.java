package io.hadir.presence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A room in which this node has sockets: what it heard of it and still has to tell. */
final class LocalRoom {
    final RoomId id;
    final Set<Membership> memberships = new LinkedHashSet<>();
    final Coalescer coalescer = new Coalescer();
    RoomRules rules;
    CompletionStage<Void> subscribed = CompletableFuture.completedFuture(null);
    long lastCount;
    private Loop.@Nullable Timer telling;
    private Loop.@Nullable Timer lapsing;
    private long lapseAt;

    LocalRoom(RoomId id, RoomRules rules) {
        this.id = id;
        this.rules = rules;
    }

    List<Membership> of(UserId user) {
        List<Membership> found = new ArrayList<>();
        for (Membership membership : memberships) {
            if (membership.seat.user().equals(user)) {
                found.add(membership);
            }
        }
        return found;
    }

    /** Lets changes gather for a while; does nothing if they do already. */
    void tellLater(Loop loop, Runnable tell) {
        if (telling == null) {
            telling = loop.after(Coalescer.window(lastCount), () -> {
                telling = null;
                tell.run();
            });
        }
    }

    /** Looks for lapsed presences at this time, or earlier if that was planned. */
    void lapseIn(Loop loop, Duration delay, Runnable lapse) {
        long at = loop.nanos() + delay.toNanos();
        if (lapsing != null) {
            if (lapseAt - at <= 0) {
                return;
            }
            lapsing.cancel();
        }
        lapseAt = at;
        lapsing = loop.after(delay, () -> {
            lapsing = null;
            lapse.run();
        });
    }

    void close() {
        if (telling != null) {
            telling.cancel();
        }
        if (lapsing != null) {
            lapsing.cancel();
        }
    }
}
