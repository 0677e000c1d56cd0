package io.hadir.presence.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.RoomFeed.ViewerCount;
import io.hadir.presence.RoomStore.Claim;
import io.hadir.presence.SeatStore;
import io.hadir.presence.Stores;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Participant.Evidence;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** The steps in which {@link StoresContract} is written, and what an implementation has to provide for them. */
public abstract class StoreSteps {
    protected static final Duration TTL = Duration.ofHours(6);
    protected static final Duration HEARTBEAT = Duration.ofSeconds(25);
    protected static final Duration GRACE = Duration.ofSeconds(15);

    /** The settings that the stores must use. */
    public static final PresenceSettings SETTINGS =
            new PresenceSettings(TTL, HEARTBEAT, GRACE, Duration.ofSeconds(30), Duration.ofSeconds(15), 1000, 50);

    private static final Duration MOST = Duration.ofSeconds(10);

    static final RoomId ROOM = new RoomId("r");
    static final UserId ADI = new UserId("adi");
    static final Seat SEAT = new Seat(ROOM, ADI);

    private final List<String> news = new CopyOnWriteArrayList<>();
    private final List<Long> revisions = new CopyOnWriteArrayList<>();
    private final List<String> counts = new CopyOnWriteArrayList<>();
    private final AtomicInteger marks = new AtomicInteger();

    /** The stores under test, empty before each test. */
    protected abstract Stores stores();

    /** A feed of the same stores. */
    protected abstract RoomFeed feed();

    /** Waits for a stage. */
    protected abstract <T> T get(CompletionStage<T> stage);

    /** Lets time pass for everything that is stored. */
    protected abstract void advance(Duration time);

    /** The time of the stores. */
    protected abstract Instant now();

    /** How much longer than the test says steps may take. */
    protected abstract Duration slack();

    /** Deletes a presence as an accident would, and nothing else. */
    protected abstract void losePresence(Seat seat);

    /** Deletes what is stored about a present user. */
    protected abstract void loseDetails(Seat seat);

    /** Bans a user and leaves them where they are. */
    protected abstract void ban(Seat seat, Duration length);

    protected abstract void unban(Seat seat);

    @BeforeEach
    void listen() {
        news.clear();
        revisions.clear();
        counts.clear();
        RoomFeed feed = feed();
        feed.listen(new RoomFeed.Listener() {
            @Override
            public void changed(RoomId room, RoomChange change, @Nullable ViewerCount count) {
                revisions.add(change.revision());
                news.add(text(change));
                counts.add(count == null ? "none" : count.viewers() + (count.alive() ? " alive" : " hinted"));
            }

            @Override
            public void lapsing(RoomId room, Duration in) {
                // Rounded up to five seconds, because a test may be slow.
                news.add("lapsing " + (in.toMillis() + 4999) / 5000 * 5);
            }

            @Override
            public void rulesChanged(RoomId room, RoomSettings now) {
                marks.incrementAndGet();
            }

            @Override
            public void raised(RoomId room, long revision) {
                revisions.add(revision);
                news.add("raised");
            }

            @Override
            public void resumed(RoomId room, boolean otherRedis) {
                news.add("resumed");
            }
        });
        get(feed.subscribe(ROOM));
    }

    private static String text(RoomChange change) {
        if (change instanceof RoomChange.Left left) {
            String message = left.message() == null ? "" : " (" + left.message() + ")";
            return "left " + left.user() + " " + left.reason().wire() + message;
        }
        return change instanceof RoomChange.Joined joined
                ? "joined " + text(joined.participant())
                : "updated " + text(((RoomChange.Updated) change).participant());
    }

    private static String text(Participant participant) {
        String away = participant.state() == Participant.State.AWAY ? " away" : "";
        return participant.username() + away + (participant.data() == null ? "" : " " + participant.data());
    }

    /** All news of the room since the last call. */
    final List<String> heard() {
        mark();
        List<String> heard = List.copyOf(news);
        news.clear();
        return heard;
    }

    /** Writes the settings again and waits for the news of that: none before it can be missing then. */
    private void mark() {
        int next = marks.get() + 1;
        get(stores().settings().write(ROOM, get(stores().settings().read(ROOM))));
        await().atMost(MOST).pollDelay(Duration.ZERO).until(() -> {
            get(stores().settings().read(ROOM));
            return marks.get() >= next;
        });
    }

    final List<Long> heardRevisions() {
        mark();
        return List.copyOf(revisions);
    }

    /** The count that came with each change of the room since the last call. */
    final List<String> heardCounts() {
        mark();
        List<String> heard = List.copyOf(counts);
        counts.clear();
        return heard;
    }

    final JoinOutcome.Joined join(String socket, long turn) {
        return join(SEAT, socket, turn);
    }

    final JoinOutcome.Joined join(Seat seat, String socket, long turn) {
        JoinOutcome outcome =
                get(stores().seats().join(SeatStore.Join.of(seat, holder(socket, turn), named(seat.user()))));
        assertThat(outcome).isInstanceOf(JoinOutcome.Joined.class);
        return (JoinOutcome.Joined) outcome;
    }

    final void leave(String socket, long turn) {
        get(stores().seats().leave(SEAT, holder(socket, turn), RemovalReason.LEFT, false));
    }

    final void disconnect(String socket, long turn) {
        get(stores().seats().disconnect(SEAT, holder(socket, turn), false));
    }

    final void suspend(String socket, long turn) {
        get(stores().seats().suspend(SEAT, holder(socket, turn), false));
    }

    /** Pauses a socket; empty if the user is not present. */
    final Optional<Duration> pause(String socket) {
        return get(stores().seats().pause(SEAT, new SocketId(socket)));
    }

    final boolean resume(String socket) {
        return get(stores().seats().resume(SEAT, new SocketId(socket))).isPresent();
    }

    /** Joins with data, or changes it if the user is there. */
    final JoinOutcome.Joined joinWith(String data, String socket, long turn) {
        Profile profile = new Profile(Username.of(ADI), Username.of(ADI), data);
        return (JoinOutcome.Joined) get(stores().seats().join(SeatStore.Join.of(SEAT, holder(socket, turn), profile)));
    }

    final boolean update(@Nullable String name, @Nullable String data) {
        Username username =
                name == null ? null : Username.parse(name).toOptional().orElseThrow();
        return get(stores().seats().update(SEAT, new Profile(username, Username.of(ADI), data)));
    }

    final boolean isAway() {
        return listed().state() == Participant.State.AWAY;
    }

    final void undo(String socket, long turn) {
        get(stores().seats().undo(SEAT, holder(socket, turn)));
    }

    final boolean heartbeat() {
        return get(stores().seats().heartbeat(SEAT, TTL));
    }

    final boolean restore(String socket, long turn) {
        return get(stores().seats().restore(SEAT, holder(socket, turn), null)).isPresent();
    }

    final boolean sweep(String dead) {
        return get(stores().seats().sweep(SEAT, RemovalReason.SERVER_GONE, Set.of(new SocketId(dead))));
    }

    final SeatStore.CleanedUp cleanUp(String node, @Nullable Instant graceUntil) {
        return get(stores().seats().cleanUp(ROOM, node, graceUntil));
    }

    final Page page() {
        return get(stores().rooms().list(ROOM, null, 1000));
    }

    final List<String> users() {
        return users(page());
    }

    static List<String> users(Page page) {
        return page.participants().stream()
                .map(participant -> participant.user().value())
                .toList();
    }

    final Participant listed() {
        List<Participant> all = new ArrayList<>(page().participants());
        all.removeIf(participant -> !participant.user().equals(ADI));
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    /** The socket that the seat names; null if the user is not listed. */
    final @Nullable String named() {
        Evidence evidence = evidence();
        return evidence == null
                ? null
                : Objects.requireNonNull(evidence.socket()).value();
    }

    private @Nullable Evidence evidence() {
        return get(stores().rooms().listWithEvidence(ROOM, null, 1000)).participants().stream()
                .filter(participant -> participant.user().equals(ADI))
                .map(Participant::evidence)
                .findFirst()
                .orElse(null);
    }

    /** The seat's presence lives so much longer, unless it is renewed. */
    final void assertLeft(Duration expected) {
        Duration remaining =
                Objects.requireNonNull(Objects.requireNonNull(evidence()).remaining());
        assertThat(remaining).isBetween(expected.minus(slack()), expected);
    }

    /** The user was last active so long ago. */
    final void assertIdle(Duration expected) {
        Duration idle = Duration.between(listed().lastActiveAt(), now());
        // The clock of the stores counts milliseconds and may belong to another process.
        assertThat(idle).isBetween(expected.minus(slack()), expected.plus(slack()));
    }

    static Seat seat(String user) {
        return new Seat(ROOM, new UserId(user));
    }

    static Holder holder(String socket, long turn) {
        return new Holder(new SocketId(socket), turn);
    }

    static Profile named(UserId user) {
        return Profile.named(Username.of(user));
    }

    static Profile named(String name) {
        return Profile.named(Username.parse(name).toOptional().orElseThrow());
    }

    static Claim claim(String user, String socket, long turn) {
        return new Claim(new UserId(user), holder(socket, turn), user, null, false);
    }
}
