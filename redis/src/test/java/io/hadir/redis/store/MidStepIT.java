package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.Clients;
import io.hadir.presence.Presence;
import io.hadir.presence.Presence.Beat;
import io.hadir.presence.PresenceObserver;
import io.hadir.presence.RoomFeed;
import io.hadir.presence.SeatStore;
import io.hadir.presence.UserListener;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.room.Username;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes in a room while a step of a socket is under way. */
class MidStepIT extends OnStore {
    private static final RoomId ROOM = new RoomId("r");
    private static final SocketId SOCKET = new SocketId("n.a");
    private static final UserId USER = new UserId("adi");

    private final List<RoomNews> told = new CopyOnWriteArrayList<>();
    private final List<SocketMessage> sent = new CopyOnWriteArrayList<>();
    private volatile int slowness = 1;
    private volatile CompletableFuture<Void> focusing = new CompletableFuture<>();
    private volatile CompletableFuture<Void> subscribing = CompletableFuture.completedFuture(null);
    private RedisLink own;
    private Presence presence;

    @BeforeEach
    void start() {
        told.clear();
        sent.clear();
        slowness = 1;
        focusing = new CompletableFuture<>();
        subscribing = CompletableFuture.completedFuture(null);
        own = new RedisLink(RedisAddress.parse(redis.url()));
        RemovalStatistics statistics = new RemovalStatistics(own, InstantSource.system());
        presence = new Presence(
                "n",
                RedisStores.open(
                        own,
                        new RoomScripts(own, "n", SETTINGS),
                        new UserScripts(own, UserSettings.of(SETTINGS.grace(), 20)),
                        statistics,
                        SETTINGS,
                        PresenceObserver.UNSEEN),
                new SlowFeed(),
                new RecordingClients(),
                new Patient(),
                InstantSource.system(),
                SETTINGS,
                new Undecided());
        own.open();
        await().until(() -> own.isUp() && own.pubSub().forPlain(null) != null);
    }

    @AfterEach
    void stop() {
        own.close();
    }

    @Test
    void theAnswerToAJoinIsNoOlderThanTheNewsThatTheSocketGot() {
        presence.connect(SOCKET, null, room -> true);
        CompletionStage<Answer<JoinedRoom>> joining =
                presence.join(SOCKET, ROOM, USER, Profile.named(Username.of(USER)), true);
        // Recorded once the room was listed for the answer, which then waits for the user's own keys.
        await().until(() -> redis.cli().exists("hadir:{rooms}:occupied") == 1);

        Seat other = new Seat(ROOM, new UserId("budi"));
        long revision = ((JoinOutcome.Joined) TestNode.get(seats.join(SeatStore.Join.of(
                        other, new Holder(new SocketId("m.b"), 1), Profile.named(Username.of(other.user()))))))
                .revision();
        // By revision: the news of the user's own join may already count both.
        await().until(() -> !told.isEmpty() && told.get(told.size() - 1).revision() >= revision);
        focusing.complete(null);

        JoinedRoom joined = TestNode.ok(TestNode.get(joining));
        assertThat(joined.listing().page().revision())
                .isGreaterThanOrEqualTo(told.get(told.size() - 1).revision());
        assertThat(joined.listing().page().participants())
                .extracting(one -> one.user().value())
                .containsExactlyInAnyOrder("adi", "budi");
    }

    @Test
    void theAnswerToAJoinHasItsNewNameEvenWithoutTheFeed() {
        focusing.complete(null);
        presence.connect(SOCKET, null, room -> true);
        TestNode.ok(TestNode.get(presence.join(SOCKET, ROOM, USER, Profile.named(Username.of(USER)), true)));
        assertThat(names(TestNode.ok(TestNode.get(presence.list(ROOM, null, 100)))))
                .containsExactly("adi");

        redis.cli().clientKill(KillArgs.Builder.typePubsub());
        Username name = Username.parse("Adi the Great").toOptional().orElseThrow();
        JoinedRoom again = TestNode.ok(TestNode.get(presence.join(SOCKET, ROOM, USER, Profile.named(name), true)));
        assertThat(names(again.listing())).containsExactly("Adi the Great");
    }

    @Test
    void aJoinWaitsForTheSubscriptionSoThatItsListMissesNothing() {
        focusing.complete(null);
        subscribing = new CompletableFuture<>();
        Seat other = new Seat(ROOM, new UserId("budi"));
        Holder holder = new Holder(new SocketId("m.b"), 1);
        TestNode.get(seats.join(SeatStore.Join.of(other, holder, Profile.named(Username.of(other.user())))));
        presence.connect(SOCKET, null, room -> true);
        CompletionStage<Answer<JoinedRoom>> joining =
                presence.join(SOCKET, ROOM, USER, Profile.named(Username.of(USER)), true);
        assertThat(names(TestNode.ok(TestNode.get(presence.list(ROOM, null, 100)))))
                .containsExactly("budi");
        assertThat(redis.cli().exists("room:presence:r:adi")).isZero();

        Username name = Username.parse("Budi the Great").toOptional().orElseThrow();
        TestNode.get(seats.join(SeatStore.Join.of(other, holder, Profile.named(name))));
        subscribing.complete(null);
        JoinedRoom joined = TestNode.ok(TestNode.get(joining));
        assertThat(names(joined.listing())).containsExactly("Budi the Great", "adi");
    }

    private static List<String> names(Listing listing) {
        return listing.page().participants().stream().map(Participant::username).toList();
    }

    @Test
    void aSocketGetsTheReasonEvenIfTheLossIsNoticedFirst() {
        focusing.complete(null);
        presence.connect(SOCKET, null, room -> true);
        long revision = TestNode.ok(
                        TestNode.get(presence.join(SOCKET, ROOM, USER, Profile.named(Username.of(USER)), true)))
                .listing()
                .page()
                .revision();
        slowness = 100;
        redis.cli().del("room:presence:r:adi");
        long before = expires();
        CompletionStage<Answer<Beat>> heartbeat = presence.heartbeat(SOCKET, ROOM, USER);
        await().pollInterval(Duration.ofMillis(20)).until(() -> expires() > before);
        String left = "{\"revision\":%d,\"left\":{\"userId\":\"adi\",\"reason\":\"kicked\",\"message\":\"be nice\"}}";
        redis.cli().spublish("hadir:room:r:changes", left.formatted(revision + 1));

        assertThat(TestNode.refused(TestNode.get(heartbeat)).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
        assertThat(sent).singleElement().isInstanceOfSatisfying(SocketMessage.ForceLeave.class, told -> {
            assertThat(told.reason()).isEqualTo(RemovalReason.KICKED);
            assertThat(told.message()).isEqualTo("be nice");
        });
    }

    private long expires() {
        Matcher calls = Pattern.compile("cmdstat_expire:calls=(\\d+)")
                .matcher(redis.cli().info("commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    /** Subscribes when a test allows it. */
    private final class SlowFeed implements RoomFeed {
        private final RedisRoomFeed feed = new RedisRoomFeed(own);

        @Override
        public CompletionStage<Void> subscribe(RoomId room) {
            return subscribing.thenCompose(done -> feed.subscribe(room));
        }

        @Override
        public void unsubscribe(RoomId room) {
            feed.unsubscribe(room);
        }

        @Override
        public Duration steadyFor() {
            return feed.steadyFor();
        }

        @Override
        public void listen(Listener listener) {
            feed.listen(listener);
        }
    }

    /** A loop that lets clients wait for their answers as long as a slow machine needs. */
    private final class Patient implements Loop {
        @Override
        public void execute(Runnable task) {
            own.loop().execute(task);
        }

        @Override
        public Timer after(Duration delay, Runnable task) {
            boolean brief = delay.compareTo(Duration.ofSeconds(1)) < 0;
            return own.loop().after(delay.multipliedBy(brief ? slowness : 20), task);
        }

        @Override
        public long nanos() {
            return own.loop().nanos();
        }
    }

    private final class RecordingClients implements Clients {
        @Override
        public void enter(SocketId socket, RoomId room, long revision) {}

        @Override
        public void exit(SocketId socket, RoomId room) {}

        @Override
        public void send(SocketId socket, SocketMessage message) {
            sent.add(message);
        }

        @Override
        public void announce(RoomNews news) {
            told.add(news);
        }

        @Override
        public void enterLobby(SocketId socket, long lobby) {}

        @Override
        public void exitLobby(SocketId socket, long lobby) {}

        @Override
        public void announceCounts(long lobby, Map<RoomId, Long> counts) {}

        @Override
        public void disconnect(SocketId socket) {}
    }

    /** Delays the focus of a user until a test allows it. */
    private final class Undecided implements UserListener {
        @Override
        public CompletionStage<Answer<UserId>> admit(SocketId socket, UserId user) {
            return CompletableFuture.completedFuture(Answer.ok(user));
        }

        @Override
        public CompletionStage<Answer<UserId>> admitMoved(SocketId socket, UserId user) {
            return admit(socket, user);
        }

        @Override
        public Joining joining(SocketId socket, Seat seat, boolean focus) {
            return new Joining() {
                @Override
                public @Nullable UserUpdate update() {
                    return null;
                }

                @Override
                public CompletionStage<Void> joined(CompletionStage<UserUpdate.Outcome> outcome) {
                    return focusing.whenCompleteAsync((done, failed) -> {}, own.loop());
                }

                @Override
                public void unknown() {}
            };
        }

        @Override
        public void entered(SocketId socket, Seat seat) {}

        @Override
        public CompletionStage<Void> left(SocketId socket, Seat seat) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> kicked(Seat seat) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> restrict(SocketId socket, Predicate<RoomId> permitted) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void attach(UserListener.Sockets sockets) {}

        @Override
        public CompletionStage<Void> disconnected(SocketId socket, boolean held) {
            return CompletableFuture.completedFuture(null);
        }
    }
}
