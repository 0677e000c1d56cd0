package io.hadir.presence;

import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A room in which this node has sockets: what it heard of it and still has to tell. */
public final class LocalRoom {
    public final RoomId id;
    private final Map<UserId, Set<Membership>> memberships = new HashMap<>();
    final Coalescer coalescer = new Coalescer();
    RoomRules rules;

    /** Who is there, as far as is known; unknown unless somebody listed the room since the last sweep. */
    private Roster roster = Roster.UNKNOWN;

    /** Whether Redis may have gone back to older data since this node last compared revisions. */
    boolean mayDiffer;

    /** Whether this node has put the room on the list of occupied ones. */
    boolean noted;

    /** What is being told and waits for its count. */
    Coalescer.@Nullable Batch untold;

    CompletionStage<Void> subscribed = CompletableFuture.completedFuture(null);
    private long lastCount;
    private boolean everTold;
    private long toldAt;
    private Loop.@Nullable Timer telling;
    private Loop.@Nullable Timer lapsing;
    private long lapseAt;

    public LocalRoom(RoomId id, RoomRules rules) {
        this.id = id;
        this.rules = rules;
    }

    void add(Membership membership) {
        memberships
                .computeIfAbsent(membership.seat.user(), user -> new LinkedHashSet<>())
                .add(membership);
    }

    void remove(Membership membership) {
        memberships.computeIfPresent(membership.seat.user(), (user, held) -> {
            held.remove(membership);
            return held.isEmpty() ? null : held;
        });
    }

    boolean isEmpty() {
        return memberships.isEmpty();
    }

    public int users() {
        return memberships.size();
    }

    public int sockets() {
        return memberships.values().stream().mapToInt(Set::size).sum();
    }

    List<Membership> of(UserId user) {
        return List.copyOf(memberships.getOrDefault(user, Set.of()));
    }

    public List<Membership> all() {
        return memberships.values().stream().flatMap(Set::stream).toList();
    }

    /** What is known of who is there, for a list; null if that are too many to know. */
    @Nullable
    public Roster roster() {
        return lastCount <= Roster.MOST ? roster : null;
    }

    /** Somebody has looked. What was heard since may be newer. */
    public void know(Roster everybody) {
        int size = everybody.participants().size();
        if (size <= Roster.MOST && everybody.revision() >= roster.revision()) {
            roster = everybody;
        }
    }

    /** A socket of this node came in. */
    void joined(JoinOutcome.Joined outcome) {
        rules = new RoomRules(outcome.ttl(), rules.inactivityMessage());
        outcome.change().ifPresent(this::hear);
    }

    public void hear(RoomChange change) {
        roster = roster.after(change);
        if (change instanceof RoomChange.Updated updated) {
            memberships.getOrDefault(updated.user(), Set.of()).forEach(membership -> membership.hear(updated));
        }
    }

    void forgetRoster() {
        roster = Roster.UNKNOWN;
    }

    /** How long changes have to wait: a room that was quiet is told at once, a busy one once in its window. */
    Duration pause(long now) {
        Duration window = Coalescer.window(lastCount);
        Duration since = Duration.ofNanos(now - toldAt);
        return everTold && since.compareTo(window) < 0 ? window.minus(since) : Duration.ZERO;
    }

    void told(long now, long count) {
        everTold = true;
        toldAt = now;
        lastCount = count;
    }

    /** Lets changes gather for a while; does nothing if they do already. */
    void tellAfter(Duration window, Loop loop, Runnable tell) {
        if (telling == null) {
            telling = loop.after(window, () -> {
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
