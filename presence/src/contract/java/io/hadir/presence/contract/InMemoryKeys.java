package io.hadir.presence.contract;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.room.Ban;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What Redis stores about one room, in memory: each value with its end. Times are in epoch milliseconds; something that
 * ends at a moment is still there in that moment.
 */
class InMemoryKeys {
    static final long MINUTE = Duration.ofMinutes(1).toMillis();
    static final long HOUR = Duration.ofHours(1).toMillis();
    static final long FENCE = Duration.ofMinutes(10).toMillis();

    final RoomId id;
    final PresenceSettings server;
    final LongSupplier clock;
    final Consumer<Consumer<RoomFeed.Listener>> publisher;

    /** The truth: who is present. */
    final Map<UserId, Presence> presences = new HashMap<>();

    // Hints: who joined when, and when a short TTL ends.
    final Map<UserId, Long> index = new HashMap<>();
    final Map<UserId, Long> lapses = new HashMap<>();
    final Map<UserId, Details> details = new HashMap<>();
    final Map<SocketId, Fence> fences = new HashMap<>();
    /** The turn with which a socket last asked to leave everywhere. */
    final Map<SocketId, Long> asked = new HashMap<>();
    /** Users who were removed with all their sockets. */
    final Map<UserId, Removal> removals = new HashMap<>();

    final Map<UserId, Ban> bans = new HashMap<>();
    RoomSettings settings = RoomSettings.NONE;
    long revision;
    long revisionEnds;
    long hintsEnd;

    record Presence(SocketId socket, long ends) {}

    record Fence(long turn, long ends) {}

    record Removal(
            long revision, RemovalReason reason, @Nullable String message) {}

    /** What is stored about a present user. A step changes a copy, and writes it. */
    static final class Details {
        String username = "";

        @Nullable
        String data;

        long joinedAt;
        long lastActiveAt;
        /** 0 unless the presence has a short TTL. */
        long graceUntil;
        /** All the user's sockets are paused. */
        boolean away;
        /** The short TTL is that of a user whose paused socket fell silent. */
        boolean held;
        /** The grace period that the seat falls back to if its present sockets turn out not to exist; 0 for none. */
        long beforeUntil;

        @Nullable
        SocketId beforeSocket;

        boolean beforeHeld;
        /** Sockets that disconnected beside the present ones, and the ends of their grace periods. */
        TreeMap<String, Long> others = new TreeMap<>();

        Set<String> paused = new HashSet<>();
        TreeMap<String, Long> sockets = new TreeMap<>();
        long ends;

        Details copy() {
            Details copy = new Details();
            copy.username = username;
            copy.data = data;
            copy.away = away;
            copy.held = held;
            copy.beforeHeld = beforeHeld;
            copy.paused = new HashSet<>(paused);
            copy.joinedAt = joinedAt;
            copy.lastActiveAt = lastActiveAt;
            copy.graceUntil = graceUntil;
            copy.beforeUntil = beforeUntil;
            copy.beforeSocket = beforeSocket;
            copy.others = new TreeMap<>(others);
            copy.sockets = new TreeMap<>(sockets);
            copy.ends = ends;
            return copy;
        }
    }

    InMemoryKeys(
            RoomId id, PresenceSettings server, LongSupplier clock, Consumer<Consumer<RoomFeed.Listener>> publisher) {
        this.id = id;
        this.server = server;
        this.clock = clock;
        this.publisher = publisher;
    }

    // What others do to the data

    void losePresence(UserId user) {
        presences.remove(user);
    }

    void loseDetails(UserId user) {
        details.remove(user);
    }

    void setRevision(long changed) {
        revision = changed;
    }

    void ban(Ban ban) {
        bans.put(ban.seat().user(), ban);
    }

    void unban(UserId user) {
        bans.remove(user);
    }

    // What is still there

    @Nullable
    Presence presence(UserId user) {
        Presence presence = presences.get(user);
        return presence == null || isOver(presence.ends) ? null : presence;
    }

    @Nullable
    Details stored(UserId user) {
        Details stored = details.get(user);
        return stored == null || isOver(stored.ends) ? null : stored;
    }

    /** A copy of what is stored about a present user, or what follows from the presence. */
    Details details(UserId user) {
        Details stored = stored(user);
        if (stored != null) {
            return stored.copy();
        }
        Details derived = new Details();
        derived.username = user.value();
        derived.joinedAt = index().getOrDefault(user, now());
        derived.lastActiveAt = derived.joinedAt;
        derived.sockets.put(presences.get(user).socket.value(), 0L);
        return derived;
    }

    void write(UserId user, Details now) {
        now.ends = now() + ttl() + HOUR;
        details.put(user, now);
    }

    Map<UserId, Long> index() {
        if (isOver(hintsEnd)) {
            index.clear();
        }
        return index;
    }

    Map<UserId, Long> lapses() {
        if (isOver(hintsEnd)) {
            lapses.clear();
        }
        return lapses;
    }

    long revision() {
        if (isOver(revisionEnds)) {
            revision = 0;
        }
        return revision;
    }

    long fence(SocketId socket) {
        Fence fence = fences.get(socket);
        return fence == null || isOver(fence.ends) ? 0 : fence.turn;
    }

    void fence(Holder holder, boolean fenced) {
        if (fenced) {
            fences.put(holder.socket(), new Fence(holder.turn(), now() + FENCE));
        }
    }

    @Nullable
    Ban ban(UserId user) {
        Ban ban = bans.get(user);
        return ban == null || isOver(ban.until().toEpochMilli()) ? null : ban;
    }

    boolean isOver(long ends) {
        return now() > ends;
    }

    long now() {
        return clock.getAsLong();
    }

    long ttl() {
        return settings.ttl() != null ? settings.ttl().toMillis() : server.ttl().toMillis();
    }

    long away() {
        return settings.away() != null
                ? settings.away().toMillis()
                : server.away().toMillis();
    }

    long grace() {
        return server.grace().toMillis();
    }

    static Instant instant(long millis) {
        return Instant.ofEpochMilli(millis);
    }
}
