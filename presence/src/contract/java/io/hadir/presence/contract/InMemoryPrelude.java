package io.hadir.presence.contract;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.RoomFeed.ViewerCount;
import io.hadir.presence.RoomStore.Headcount;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What the steps of a room share, as {@code room-prelude.lua} does for the scripts. */
class InMemoryPrelude extends InMemoryKeys {
    private static final int COUNTED_WITH_CHANGE = 100;

    InMemoryPrelude(
            RoomId id, PresenceSettings server, LongSupplier clock, Consumer<Consumer<RoomFeed.Listener>> publisher) {
        super(id, server, clock, publisher);
    }

    boolean removeHinted(UserId user, RemovalReason reason, @Nullable String message) {
        lapses().remove(user);
        presences.remove(user);
        boolean detailed = stored(user) != null;
        details.remove(user);
        if (index().remove(user) == null && !detailed) {
            return false;
        }
        RoomChange.Left left = new RoomChange.Left(nextRevision(), user, reason, message);
        ViewerCount count = headcount();
        publisher.accept(listener -> listener.changed(id, left, count));
        return true;
    }

    void announceJoined(UserId user, Details now) {
        RoomChange change = new RoomChange.Joined(nextRevision(), participant(user, now));
        ViewerCount count = headcount();
        publisher.accept(listener -> listener.changed(id, change, count));
    }

    void announceUpdated(UserId user, Details now) {
        RoomChange change = new RoomChange.Updated(nextRevision(), participant(user, now));
        ViewerCount count = headcount();
        publisher.accept(listener -> listener.changed(id, change, count));
    }

    ViewerCount headcount() {
        return index().size() <= COUNTED_WITH_CHANGE
                ? new ViewerCount(count().alive(), true)
                : new ViewerCount(index().size(), false);
    }

    static Participant participant(UserId user, Details now) {
        return new Participant(
                user, now.username, instant(now.joinedAt), instant(now.lastActiveAt), state(now), now.data, null);
    }

    static Participant.State state(Details now) {
        return now.away ? Participant.State.AWAY : Participant.State.ACTIVE;
    }

    boolean updateState(UserId user, Details now) {
        if (now.sockets.isEmpty()) {
            return false;
        }
        now.paused.retainAll(now.sockets.keySet());
        boolean away = now.paused.containsAll(now.sockets.keySet());
        if (away == now.away) {
            return false;
        }
        now.lastActiveAt = away ? lastActiveAt(user, now) : now();
        now.away = away;
        return true;
    }

    long nextRevision() {
        long next = (revision() == 0 ? now() : revision) + 1;
        revision = next;
        renew();
        return next;
    }

    void renew() {
        long longer = ttl() + HOUR;
        hintsEnd = now() + longer;
        boolean occupied = !index.isEmpty();
        revisionEnds = now() + (occupied ? longer : Math.max(MINUTE, Math.min(revision + MINUTE - now(), longer)));
    }

    void shorten(UserId user, SocketId socket, long ends) {
        presences.put(user, new Presence(socket, ends));
        lapses().put(user, ends);
        Duration left = Duration.ofMillis(Math.max(0, ends - now()));
        publisher.accept(listener -> listener.lapsing(id, left));
    }

    void handOver(UserId user, Details now) {
        boolean changed = updateState(user, now);
        Presence presence = presences.get(user);
        if (!now.sockets.containsKey(presence.socket().value())) {
            presences.put(user, new Presence(new SocketId(now.sockets.firstKey()), presence.ends()));
        }
        write(user, now);
        if (changed) {
            announceUpdated(user, now);
        }
    }

    void saveGrace(UserId user, Details now) {
        if (now.graceUntil > 0 && now.sockets.isEmpty()) {
            now.beforeUntil = now.graceUntil;
            now.beforeSocket = presences.get(user).socket();
            now.beforeHeld = now.held;
        }
    }

    boolean resumeGrace(UserId user, Details now) {
        long left = Math.min(now.beforeHeld ? away() : grace(), now.beforeUntil - now());
        SocketId socket = now.beforeSocket;
        if (left <= 0 || socket == null) {
            return false;
        }
        now.graceUntil = now() + left;
        now.beforeUntil = 0;
        presences.put(user, new Presence(socket, now.graceUntil));
        shorten(user, now, left, now.beforeHeld);
        renew();
        return true;
    }

    RemovalReason guess(UserId user) {
        if (lapses().containsKey(user)) {
            return RemovalReason.DISCONNECTED;
        }
        Details stored = stored(user);
        return stored != null && stored.joinedAt + ttl() <= now()
                ? RemovalReason.INACTIVITY_TIMEOUT
                : RemovalReason.PRESENCE_LOST;
    }

    long lastActiveAt(UserId user, Details now) {
        long ends = presences.get(user).ends();
        return now.away || (now.graceUntil > 0 && ends <= now.graceUntil)
                ? now.lastActiveAt
                : Math.max(now.joinedAt, Math.min(now(), ends - ttl()));
    }

    Optional<Duration> nextLapse() {
        return lapses().values().stream()
                .min(Comparator.naturalOrder())
                .map(ends -> Duration.ofMillis(Math.max(0, ends - now())));
    }

    /** Gives a seat without sockets a grace period, or holds its user as away, for at most this long. */
    void shorten(UserId user, Details now, long most, boolean held) {
        now.lastActiveAt = lastActiveAt(user, now);
        Presence presence = presences.get(user);
        boolean changed = held && !now.away;
        now.graceUntil = Math.min(presence.ends(), now() + most);
        now.held = held;
        now.away |= held;
        now.paused.clear();
        write(user, now);
        shorten(user, presence.socket(), now.graceUntil);
        if (changed) {
            announceUpdated(user, now);
        }
    }

    Headcount count() {
        List<UserId> dead = index().keySet().stream()
                .filter(user -> presence(user) == null)
                .sorted()
                .toList();
        return new Headcount(index().size() - dead.size(), revision(), dead);
    }
}
