package io.hadir.presence.contract;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.RoomStore.Checked;
import io.hadir.presence.RoomStore.Claim;
import io.hadir.presence.RoomStore.Compared;
import io.hadir.presence.SeatStore;
import io.hadir.presence.SeatStore.CleanedUp;
import io.hadir.presence.room.Ban;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Page.FirstPage;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Participant.Evidence;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One room in memory. Each method is one step and does what the script of the same name does on Redis. */
final class InMemoryRoom extends InMemoryPrelude {
    private static final int EXPIRED_AT_ONCE = 100;
    /** Users are not stored here. */
    private static final CompletionStage<UserUpdate.Outcome> NO_UPDATE =
            CompletableFuture.failedStage(new UnsupportedOperationException());

    InMemoryRoom(
            RoomId id, PresenceSettings server, LongSupplier clock, Consumer<Consumer<RoomFeed.Listener>> publisher) {
        super(id, server, clock, publisher);
    }

    // Seats

    JoinOutcome join(SeatStore.Join join) {
        UserId user = join.seat().user();
        Holder holder = join.holder();
        Profile profile = join.profile();
        long since = join.since();
        SeatStore.ListRequest list = join.list();
        if (fence(holder.socket()) >= holder.turn()) {
            return new JoinOutcome.Superseded();
        }
        Ban ban = ban(user);
        if (ban != null) {
            return new JoinOutcome.Banned(ban);
        }
        Removal removal = removals.get(user);
        if (since > 0 && removal != null && removal.revision() >= since) {
            return new JoinOutcome.Removed(removal.reason(), removal.message());
        }
        boolean present = presence(user) != null;
        if (!present) {
            if (index().containsKey(user) || stored(user) != null) {
                removeHinted(user, guess(user), null);
            }
            Integer most = settings.maxParticipants();
            if (most != null && index().size() >= most) {
                return new JoinOutcome.Full();
            }
        }
        Details former = present ? stored(user) : null;
        Details now = present ? details(user) : new Details();
        if (!present) {
            now.joinedAt = now();
        }
        if (now.sockets.getOrDefault(holder.socket().value(), 0L) > holder.turn()) {
            return new JoinOutcome.Superseded();
        }
        String name = profile.username() != null
                ? profile.username().value()
                : former != null ? former.username : profile.fallback().value();
        String data = profile.data() == null ? now.data : profile.data().equals("null") ? null : profile.data();
        boolean newData = !Objects.equals(data, now.data);
        saveGrace(user, now);
        now.username = name;
        now.data = data;
        now.held = false;
        now.sockets.put(holder.socket().value(), holder.turn());
        now.lastActiveAt = now();
        now.graceUntil = 0;
        now.paused.remove(holder.socket().value());
        boolean resumed = updateState(user, now);
        presences.put(user, new Presence(holder.socket(), now() + ttl()));
        write(user, now);
        lapses().remove(user);
        Optional<RoomChange> change = Optional.empty();
        Participant participant = participant(user, now).lastActive(instant(now.joinedAt));
        if (index().putIfAbsent(user, now.joinedAt) == null) {
            announceJoined(user, now);
            change = Optional.of(new RoomChange.Joined(revision, participant));
        } else if (former == null || !name.equals(former.username) || newData || resumed) {
            announceUpdated(user, now);
            change = Optional.of(new RoomChange.Updated(revision, participant));
        } else {
            renew();
        }
        Optional<JoinOutcome.View> view = list == null
                ? Optional.empty()
                : Optional.of(new JoinOutcome.View(listFirst(list.limit(), list.known()), nextLapse()));
        return new JoinOutcome.Joined(revision(), rules(), name, data, change, view, NO_UPDATE);
    }

    boolean heartbeat(UserId user, Duration ttl) {
        Presence presence = presence(user);
        if (presence == null) {
            return false;
        }
        presences.put(user, new Presence(presence.socket(), now() + ttl.toSeconds() * 1000));
        return true;
    }

    boolean update(UserId user, Profile profile) {
        if (presence(user) == null) {
            return false;
        }
        Details now = details(user);
        Details former = now.copy();
        if (profile.username() != null) {
            now.username = profile.username().value();
        }
        if (profile.data() != null) {
            now.data = profile.data().equals("null") ? null : profile.data();
        }
        if (!now.username.equals(former.username) || !Objects.equals(now.data, former.data)) {
            now.lastActiveAt = lastActiveAt(user, former);
            write(user, now);
            announceUpdated(user, now);
        }
        return true;
    }

    Optional<Duration> pause(UserId user, SocketId socket) {
        if (presence(user) == null) {
            return Optional.empty();
        }
        Details now = stored(user);
        if (now != null && now.sockets.containsKey(socket.value())) {
            now = now.copy();
            now.paused.add(socket.value());
            writeState(user, now);
        }
        return Optional.of(Duration.ofMillis(away()));
    }

    Optional<Duration> resume(UserId user, SocketId socket) {
        Presence presence = presence(user);
        if (presence == null) {
            return Optional.empty();
        }
        presences.put(user, new Presence(presence.socket(), now() + ttl()));
        Details now = stored(user);
        if (now != null && now.sockets.containsKey(socket.value())) {
            now = now.copy();
            now.paused.remove(socket.value());
            writeState(user, now);
        }
        return Optional.of(Duration.ofMillis(ttl()));
    }

    /** Writes details whose sockets have changed, and announces the state that follows from them if it is new. */
    private void writeState(UserId user, Details now) {
        boolean changed = updateState(user, now);
        write(user, now);
        if (changed) {
            announceUpdated(user, now);
        }
    }

    Optional<Duration> remaining(UserId user) {
        Presence presence = presence(user);
        return presence == null ? Optional.empty() : Optional.of(Duration.ofMillis(presence.ends() - now()));
    }

    SeatStore.Keeper keeper(UserId user) {
        Details stored = stored(user);
        if (presence(user) == null) {
            return SeatStore.Keeper.NOTHING;
        }
        if (stored == null || !stored.sockets.isEmpty()) {
            return SeatStore.Keeper.SOCKET;
        }
        return stored.held ? SeatStore.Keeper.AWAY : SeatStore.Keeper.NOTHING;
    }

    boolean hasSocket(UserId user, SocketId socket) {
        Details stored = stored(user);
        return stored != null && stored.sockets.containsKey(socket.value());
    }

    /** @param undo whether the client was told that its join failed: an earlier grace period goes on */
    void leave(UserId user, Holder holder, RemovalReason reason, boolean fenced, boolean undo) {
        fence(holder, fenced);
        boolean isFinal = holder.equals(Holder.gone(holder.socket()));
        Details now = takeOff(user, holder);
        if (now != null && isFinal) {
            forgetGrace(now, holder.socket());
        }
        if (now == null) {
            if (isFinal) {
                forgetOther(user, holder.socket());
            }
        } else if (!now.sockets.isEmpty()) {
            if (!undo && !isFinal) {
                now.beforeUntil = 0;
                now.beforeHeld = false;
                now.others.clear();
            }
            handOver(user, now);
        } else {
            if (isFinal) {
                returnToOther(now);
            }
            if (!(undo || isFinal) || !resumeGrace(user, now)) {
                removeHinted(user, reason, null);
            }
        }
    }

    /** A socket that disconnected beside the present ones has left. */
    private void forgetOther(UserId user, SocketId socket) {
        Details stored = stored(user);
        if (stored != null && stored.others.containsKey(socket.value())) {
            Details now = stored.copy();
            now.others.remove(socket.value());
            forgetGrace(now, socket);
            write(user, now);
        }
    }

    private static void forgetGrace(Details now, SocketId socket) {
        if (socket.equals(now.beforeSocket)) {
            now.beforeUntil = 0;
            now.beforeHeld = false;
        }
    }

    /** Saves the grace period of the last socket that disconnected beside those that left. */
    private static void returnToOther(Details now) {
        now.beforeHeld = false;
        now.beforeUntil = 0;
        now.others.entrySet().stream().max(Map.Entry.comparingByValue()).ifPresent(last -> {
            now.beforeUntil = last.getValue();
            now.beforeSocket = new SocketId(last.getKey());
            now.others.remove(last.getKey());
        });
    }

    /** @param held whether the socket was paused and fell silent */
    void disconnect(UserId user, Holder holder, boolean fenced, boolean held) {
        fence(holder, fenced);
        Details now = takeOff(user, holder);
        if (now == null) {
            return;
        }
        if (!now.sockets.isEmpty()) {
            now.beforeUntil = now() + grace();
            now.beforeSocket = holder.socket();
            now.beforeHeld = false;
            now.others.values().removeIf(ends -> ends <= now());
            now.others.put(holder.socket().value(), now.beforeUntil);
            handOver(user, now);
            return;
        }
        shorten(user, now, held ? away() : grace(), held);
        renew();
    }

    /** The details of a user without this socket; null if it was not on the seat, or joined with a later turn. */
    private @Nullable Details takeOff(UserId user, Holder holder) {
        if (presence(user) == null) {
            removeHinted(user, guess(user), null);
            return null;
        }
        Details now = details(user);
        Long joined = now.sockets.get(holder.socket().value());
        if (joined == null && isKeptFor(user, now, holder)) {
            return now;
        }
        if (joined == null || joined > holder.turn()) {
            return null;
        }
        now.sockets.remove(holder.socket().value());
        return now;
    }

    /** Whether this final departure is that of the socket for whose return the seat is kept. */
    private boolean isKeptFor(UserId user, Details now, Holder holder) {
        return holder.equals(Holder.gone(holder.socket()))
                && now.sockets.isEmpty()
                && presences.get(user).socket().equals(holder.socket());
    }

    boolean remove(UserId user, RemovalReason reason, @Nullable String message) {
        boolean present = presence(user) != null;
        if (present) {
            // A presence without hints counts as well.
            index().putIfAbsent(user, now());
        }
        removeHinted(user, present ? reason : guess(user), present ? message : null);
        if (present || reason == RemovalReason.LEFT) {
            removals.put(user, new Removal(revision() > 0 ? revision() : now(), reason, message));
        }
        return present;
    }

    void leaveEverywhere(UserId user, Holder holder) {
        SocketId socket = holder.socket();
        Details stored = stored(user);
        long joined = stored == null ? 0 : stored.sockets.getOrDefault(socket.value(), 0L);
        if (joined > holder.turn() || asked.getOrDefault(socket, 0L) >= holder.turn()) {
            return;
        }
        asked.put(socket, holder.turn());
        fences.put(socket, new Fence(Math.max(fence(socket), holder.turn()), now() + FENCE));
        remove(user, RemovalReason.LEFT, null);
    }

    boolean sweep(UserId user, RemovalReason reason, Collection<SocketId> dead) {
        return sweep(user, reason, dead::contains, 0) == Outcome.REMOVED;
    }

    CleanedUp cleanUp(String node, long graceUntil) {
        long removed = 0;
        List<UserId> inGrace = new ArrayList<>();
        for (UserId user : List.copyOf(index().keySet())) {
            Outcome outcome = sweep(
                    user, RemovalReason.SERVER_GONE, socket -> socket.node().equals(node), graceUntil);
            removed += outcome == Outcome.REMOVED ? 1 : 0;
            if (outcome == Outcome.GRACE) {
                inGrace.add(user);
            }
        }
        return new CleanedUp(removed, inGrace);
    }

    /** What the sweep of a seat comes to. */
    private enum Outcome {
        REMOVED,
        GRACE,
        NOTHING
    }

    private Outcome sweep(UserId user, RemovalReason reason, Predicate<SocketId> isDead, long graceUntil) {
        Presence presence = presence(user);
        if (presence == null) {
            return Outcome.NOTHING;
        }
        Details now = details(user);
        if (now.sockets.isEmpty() && presence.ends() - now() <= grace()) {
            return Outcome.NOTHING;
        }
        if (now.sockets.isEmpty() && now.graceUntil > now()) {
            now.graceUntil = Math.min(now.graceUntil, now() + (now.held ? away() : grace()));
            if (now.held && presence.ends() <= now.graceUntil) {
                return Outcome.NOTHING;
            }
            write(user, now);
            shorten(user, presence.socket(), now.graceUntil);
            return Outcome.NOTHING;
        }
        boolean paused = now.paused.stream().anyMatch(socket -> isDead.test(new SocketId(socket)));
        now.sockets.keySet().removeIf(socket -> isDead.test(new SocketId(socket)));
        if (!now.sockets.isEmpty()) {
            handOver(user, now);
            return Outcome.NOTHING;
        }
        if (!isDead.test(presence.socket())) {
            return Outcome.NOTHING;
        }
        if (paused && reason != RemovalReason.LEFT) {
            shorten(user, now, away(), true);
            return Outcome.NOTHING;
        }
        if (now.beforeHeld) {
            now.beforeUntil = 0;
            now.beforeSocket = null;
            now.beforeHeld = false;
        }
        if (graceUntil > now() && graceUntil > now.beforeUntil) {
            now.beforeUntil = graceUntil;
            now.beforeSocket = presence.socket();
            now.lastActiveAt = lastActiveAt(user, now);
        }
        if (resumeGrace(user, now)) {
            return Outcome.GRACE;
        }
        return removeHinted(user, reason, null) ? Outcome.REMOVED : Outcome.NOTHING;
    }

    Optional<JoinOutcome.Joined> restore(UserId user, Holder holder, @Nullable Instant until) {
        if (presence(user) == null || fence(holder.socket()) >= holder.turn() || ban(user) != null) {
            return Optional.empty();
        }
        Details now = details(user);
        if (now.held && now.sockets.isEmpty()) {
            return Optional.empty();
        }
        if (!now.sockets.isEmpty() && until != null && until.toEpochMilli() < now()) {
            return Optional.empty();
        }
        if (now.sockets.getOrDefault(holder.socket().value(), 0L) > holder.turn()) {
            return Optional.empty();
        }
        if (now.sockets.isEmpty()) {
            saveGrace(user, now);
            now.graceUntil =
                    now() + server.provisionalWithin(Duration.ofMillis(ttl())).toMillis();
            shorten(user, holder.socket(), now.graceUntil);
        }
        now.sockets.put(holder.socket().value(), holder.turn());
        writeState(user, now);
        renew();
        return Optional.of(new JoinOutcome.Joined(
                revision(), rules(), now.username, now.data, Optional.empty(), Optional.empty(), NO_UPDATE));
    }

    // The room as a whole

    Page list(@Nullable Position after, int limit, boolean withEvidence) {
        List<Participant> alive = alive(withEvidence).stream()
                .filter(participant -> after == null || participant.position().compareTo(after) > 0)
                .toList();
        return page(alive, limit);
    }

    FirstPage listFirst(int limit, @Nullable Roster known) {
        List<Participant> alive = known != null && isTrue(known) ? known(known) : alive(false);
        int most = known == null ? limit : Math.max(limit, Roster.MOST);
        return new FirstPage(page(alive, limit), alive.size() <= most ? new Roster(revision(), alive) : null);
    }

    private Page page(List<Participant> alive, int limit) {
        boolean more = alive.size() > limit;
        return new Page(
                List.copyOf(more ? alive.subList(0, limit) : alive),
                more ? alive.get(limit - 1).position() : null,
                revision(),
                !count().dead().isEmpty());
    }

    private List<Participant> alive(boolean withEvidence) {
        List<Participant> alive = new ArrayList<>();
        index().forEach((user, joinedAt) -> {
            Presence presence = presence(user);
            if (presence != null) {
                Details stored = stored(user);
                String name = stored == null ? user.value() : stored.username;
                boolean gone = stored != null && stored.sockets.isEmpty();
                boolean held = gone && stored.held;
                Duration remaining = Duration.ofMillis(presence.ends() - now());
                Evidence evidence =
                        withEvidence ? new Evidence(presence.socket(), remaining, gone && !held, held) : null;
                alive.add(new Participant(
                        user,
                        name,
                        instant(joinedAt),
                        listedActive(joinedAt, presence, stored),
                        stored == null ? Participant.State.ACTIVE : state(stored),
                        stored == null ? null : stored.data,
                        evidence));
            }
        });
        alive.sort(Comparator.comparing(Participant::position));
        return alive;
    }

    private boolean isTrue(Roster known) {
        return !known.participants().isEmpty()
                && known.revision() == revision()
                && known.participants().size() == index().size()
                && known.participants().stream().allMatch(participant -> presence(participant.user()) != null);
    }

    private List<Participant> known(Roster known) {
        return known.participants().stream()
                .map(participant -> {
                    UserId user = participant.user();
                    Details stored = lapses().containsKey(user) ? stored(user) : null;
                    return participant.state() == Participant.State.AWAY
                            ? participant
                            : participant.lastActive(
                                    listedActive(participant.joinedAt().toEpochMilli(), presences.get(user), stored));
                })
                .toList();
    }

    private Instant listedActive(long joinedAt, Presence presence, @Nullable Details stored) {
        long active = stored != null && (stored.away || (stored.graceUntil > 0 && presence.ends() <= stored.graceUntil))
                ? stored.lastActiveAt
                : presence.ends() - ttl();
        return instant(Math.max(joinedAt, Math.min(now(), active)));
    }

    int hints() {
        return index().size();
    }

    Set<UserId> absent(Collection<UserId> users) {
        Set<UserId> absent = new HashSet<>(users);
        absent.removeIf(user -> presence(user) != null);
        return absent;
    }

    Optional<Duration> expireLapses() {
        List<UserId> due = lapses().entrySet().stream()
                .filter(lapse -> lapse.getValue() < now())
                .sorted(Map.Entry.<UserId, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .limit(EXPIRED_AT_ONCE)
                .map(Map.Entry::getKey)
                .toList();
        for (UserId user : due) {
            if (presence(user) == null) {
                removeHinted(user, RemovalReason.DISCONNECTED, null);
            } else {
                lapses().remove(user);
            }
        }
        return nextLapse();
    }

    void announceExpired(Collection<UserId> users, @Nullable RemovalReason reason) {
        users.stream()
                .filter(user -> presence(user) == null)
                .forEach(user ->
                        removeHinted(user, reason == null || lapses().containsKey(user) ? guess(user) : reason, null));
    }

    Checked check(List<Claim> claims) {
        List<Boolean> alive = claims.stream().map(this::check).toList();
        renew();
        return new Checked(rules(), revision(), nextLapse(), alive);
    }

    Compared compare(List<Claim> claims) {
        List<Sighting> shared = new ArrayList<>();
        boolean right = true;
        for (Claim claim : claims) {
            UserId user = claim.user();
            Presence presence = presence(user);
            Details stored = stored(user);
            if (presence == null || stored == null || !index().containsKey(user)) {
                right = false;
                continue;
            }
            String socket = claim.holder().socket().value();
            right &= stored.sockets.containsKey(presence.socket().value())
                    && stored.sockets.containsKey(socket)
                    && stored.paused.contains(socket) == claim.paused();
            if (stored.sockets.size() > 1) {
                Set<SocketId> sockets =
                        stored.sockets.keySet().stream().map(SocketId::new).collect(Collectors.toSet());
                shared.add(new Sighting(new Seat(id, user), presence.socket(), sockets, true));
            }
        }
        return new Compared(rules(), revision(), nextLapse(), right, shared);
    }

    private RoomRules rules() {
        return new RoomRules(Duration.ofMillis(ttl()), settings.inactivityMessage());
    }

    private boolean check(Claim claim) {
        UserId user = claim.user();
        Presence presence = presence(user);
        if (presence == null) {
            return false;
        }
        boolean lost = stored(user) == null;
        Details now = details(user);
        if (lost) {
            now.username = claim.username();
            now.data = claim.data();
            now.lastActiveAt = lastActiveAt(user, now);
        }
        String socket = claim.holder().socket().value();
        if (now.sockets.getOrDefault(socket, -1L) != claim.holder().turn()) {
            if (now.sockets.isEmpty()) {
                // The seat is in another socket's grace period, but this socket is there.
                presences.put(user, new Presence(presence.socket(), now() + ttl()));
                lapses().remove(user);
                now.graceUntil = 0;
                now.held = false;
            }
            now.sockets.put(socket, claim.holder().turn());
        }
        if (claim.paused()) {
            now.paused.add(socket);
        } else {
            now.paused.remove(socket);
        }
        handOver(user, now);
        if (index().putIfAbsent(user, now.joinedAt) == null) {
            announceJoined(user, now);
        } else if (lost) {
            announceUpdated(user, now);
        }
        return true;
    }

    long raise(long told) {
        if (revision() <= told) {
            revision = Math.max(told, now());
            revisionEnds = Long.MAX_VALUE;
            long raised = nextRevision();
            publisher.accept(listener -> listener.raised(id, raised));
        }
        return revision();
    }

    RoomSettings settings() {
        return settings;
    }

    void configure(RoomSettings changed) {
        settings = changed;
        publisher.accept(listener -> listener.rulesChanged(id, changed));
    }
}
