package io.hadir.presence;

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

/**
 * A room that sockets of this node are in or watch: its memberships, and the changes that clients still have to hear.
 */
final class LocalRoom {
    final RoomId id;
    private final Map<UserId, Set<Membership>> memberships = new HashMap<>();
    final Coalescer coalescer = new Coalescer();
    RoomRules rules;

    /** Unknown unless the room was listed since the last sweep. */
    private Roster roster = Roster.UNKNOWN;

    /** Whether Redis may have gone back to older data since this node last compared revisions. */
    boolean mayDiffer;

    /** When to renew what Redis keeps about the room, by the loop's clock; null until that is planned. */
    @Nullable
    Long renewAt;

    /** Whether this node has added the room to the directory. */
    boolean isInDirectory;

    /** Whether this node knows when the next lapse is. */
    boolean watchesLapses;

    /** The TTL for which silent sockets are watched; null if they are not yet. */
    @Nullable
    Duration silenceTtl;

    /** Whether sockets watch the room's count, in it or not. */
    boolean watched;

    /** How many joins of this node's sockets are under way. */
    int joining;

    /** The changes that wait for the room's count before clients hear them. */
    Coalescer.@Nullable Batch pending;

    CompletionStage<Void> subscribed = CompletableFuture.completedFuture(null);
    private long lastCount;
    private boolean everCounted;
    private long countedAt;
    private long changedAt;

    /** The usual time between changes in nanoseconds, weighted towards the latest. */
    private long gap = Coalescer.SHORTEST.toNanos();

    private boolean everAnnounced;
    private long announcedAt;
    private Loop.@Nullable Timer announcing;
    private Loop.@Nullable Timer lapsing;
    private Loop.@Nullable Timer looking;
    private long lapseAt;

    LocalRoom(RoomId id, RoomRules rules) {
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

    /** Whether no socket is in the room, and none watches it. */
    boolean isUnused() {
        return memberships.isEmpty() && !watched;
    }

    int users() {
        return memberships.size();
    }

    int sockets() {
        return memberships.values().stream().mapToInt(Set::size).sum();
    }

    List<Membership> of(UserId user) {
        return List.copyOf(memberships.getOrDefault(user, Set.of()));
    }

    /** Whether a socket of this user is in the room for certain. */
    boolean has(UserId user) {
        return memberships.getOrDefault(user, Set.of()).stream().anyMatch(Membership::isAccepted);
    }

    List<Membership> all() {
        return memberships.values().stream().flatMap(Set::stream).toList();
    }

    /** Whether the room has more than {@link Roster#MOST} participants, as far as is known. */
    boolean isCrowded() {
        return lastCount > Roster.MOST;
    }

    /** The roster for a list; null if the room is crowded. */
    @Nullable
    Roster roster() {
        return isCrowded() ? null : roster;
    }

    /** Takes over a roster that was just read, unless changes have made it outdated. */
    void remember(Roster everybody) {
        int size = everybody.participants().size();
        if (size <= Roster.MOST && everybody.revision() >= roster.revision()) {
            roster = everybody;
        }
    }

    void hear(RoomChange change) {
        roster = roster.after(change);
        if (change instanceof RoomChange.Updated updated) {
            memberships.getOrDefault(updated.user(), Set.of()).forEach(membership -> membership.hear(updated));
        }
    }

    void forgetRoster() {
        roster = Roster.UNKNOWN;
    }

    /** A change has arrived. */
    void changed(long now) {
        long longest = 2 * Coalescer.window(lastCount).toNanos();
        gap += (Math.min(now - changedAt, longest) - gap) / 4;
        changedAt = now;
    }

    /**
     * How long changes still have to wait. In a busy room, at least one window lies between two announcements, so that
     * each carries many changes. If a window would bring hardly more than one change, waiting for it saves nothing: a
     * tenth of it gathers the changes of one moment. In a quiet room that time has already passed.
     */
    Duration waitBeforeAnnouncing(long now) {
        Duration window = Coalescer.window(lastCount);
        Duration wait = gap * 5 >= window.toNanos() * 4 ? window.dividedBy(10) : window;
        Duration since = Duration.ofNanos(now - announcedAt);
        return everAnnounced && since.compareTo(wait) < 0 ? wait.minus(since) : Duration.ZERO;
    }

    void announced(long now, long count) {
        everAnnounced = true;
        announcedAt = now;
        lastCount = count;
    }

    /** The users were counted by their live presences. */
    void counted(long now) {
        everCounted = true;
        countedAt = now;
    }

    /** Whether the hints were compared with live presences in this time. */
    boolean isCountedWithin(Duration time, long now) {
        return everCounted && now - countedAt < time.toNanos();
    }

    /** Lets changes gather for a while; does nothing if they already do. */
    void announceAfter(Duration window, Loop loop, Runnable announce) {
        if (announcing == null) {
            announcing = loop.after(window, () -> {
                announcing = null;
                announce.run();
            });
        }
    }

    /** Expires lapses after this time, or earlier if that was planned. */
    void expireAfter(Duration delay, Loop loop, Runnable expire) {
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
            expire.run();
        });
    }

    /** Looks at silent sockets after this time, instead of when that was planned. */
    void lookAfter(Duration delay, Loop loop, Runnable look) {
        if (looking != null) {
            looking.cancel();
        }
        looking = loop.after(delay, look);
    }

    void close() {
        if (looking != null) {
            looking.cancel();
        }
        if (announcing != null) {
            announcing.cancel();
        }
        if (lapsing != null) {
            lapsing.cancel();
        }
    }
}
