package io.hadir.redis.store;

import static org.awaitility.Awaitility.await;

import io.hadir.presence.Bans;
import io.hadir.presence.Clients;
import io.hadir.presence.Presence;
import io.hadir.presence.Presence.Beat;
import io.hadir.presence.PresenceObserver;
import io.hadir.presence.node.Node;
import io.hadir.presence.node.Ports;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.presence.stats.Overview;
import io.hadir.presence.sweep.LeaseKeeper;
import io.hadir.presence.sweep.NodeCleanup;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.SweepReport;
import io.hadir.presence.sweep.Sweeper;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.Users;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.node.RedisPorts;
import io.hadir.redis.stats.RemovalStatistics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node with everything but the transport: what clients would be sent is written down instead. */
public final class TestNode implements AutoCloseable {
    /** Short enough to be waited for; the sweep comes when a test wants it. */
    public static final PresenceSettings QUICK = new PresenceSettings(
            Duration.ofMinutes(1),
            Duration.ofSeconds(1),
            Duration.ofMillis(1500),
            Duration.ofHours(1),
            Duration.ofSeconds(3),
            1000,
            50);

    /** Renewed often, and kept long enough for a machine that stands still for a while. */
    public static final UserSettings USERS =
            new UserSettings(Duration.ofSeconds(60), Duration.ofSeconds(1), Duration.ofSeconds(60), 20);

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    public final String id;
    public final RedisLink link;
    public final Presence presence;
    public final Users users;
    public final Bans bans;
    public final Sweeper sweeper;
    public final NodeCleanup cleanup;
    public final Nodes nodes;
    private final Overview overview;
    private final LeaseKeeper lease;
    private final Map<SocketId, Client> clients = new ConcurrentHashMap<>();
    private int opened;

    public TestNode(String url, PresenceSettings settings) {
        this(RedisAddress.parse(url), settings, USERS, InstantSource.system());
    }

    private TestNode(RedisAddress address, PresenceSettings settings, UserSettings userSettings, InstantSource clock) {
        id = "node" + NUMBERS.incrementAndGet();
        link = new RedisLink(address);
        RemovalStatistics statistics = new RemovalStatistics(link, clock);
        Ports ports =
                RedisPorts.of(link, id, this::describe, statistics, settings, userSettings, PresenceObserver.UNSEEN);
        Node node = new Node(ports, new Recording(), clock, settings, userSettings);
        users = node.users();
        presence = node.presence();
        bans = node.bans();
        overview = node.overview();
        users.start();
        lease = node.lease();
        sweeper = node.sweeper();
        cleanup = node.cleanup();
        nodes = ports.nodes();
        link.open();
    }

    /** A node that is up and has its lease. */
    public static TestNode started(String url) {
        return started(url, InstantSource.system());
    }

    /** A node whose machine's clock may be wrong. */
    public static TestNode started(String url, InstantSource clock) {
        return started(new TestNode(RedisAddress.parse(url), QUICK, USERS, clock));
    }

    /** A node that keeps what it knows of users for a time of its own. */
    public static TestNode started(String url, UserSettings userSettings) {
        return started(new TestNode(RedisAddress.parse(url), QUICK, userSettings, InstantSource.system()));
    }

    /** A node whose names in Redis have a prefix. */
    public static TestNode started(RedisAddress address) {
        return started(new TestNode(address, QUICK, USERS, InstantSource.system()));
    }

    /** A node with settings of its own. */
    public static TestNode started(String url, PresenceSettings settings) {
        return started(new TestNode(url, settings));
    }

    private static TestNode started(TestNode node) {
        await().until(() -> node.link.isUp()
                && node.link.partlyAway().isEmpty()
                && node.link.pubSub().forPlain(null) != null);
        node.awaitOwnSubscription();
        get(node.lease.start());
        // So that the first client need not wait for classes and scripts to load.
        get(node.presence.list(new RoomId("~"), null, 1));
        return node;
    }

    /** From here on it hears everything, and tells nothing again. */
    private void awaitOwnSubscription() {
        String channel = RedisKeys.users(id);
        if (link.isCluster()) {
            await().ignoreExceptions()
                    .until(() -> link.masters().stream()
                            .anyMatch(master -> get(link.read(master, redis -> redis.pubsubNumsub(channel)))
                                    .containsValue(1L)));
        } else {
            get(Objects.requireNonNull(link.pubSub().forPlain(null)).async().subscribe(channel));
        }
    }

    /** Takes the lease and begins to look after others; for a node that was made while Redis was away. */
    public void start() {
        get(lease.start());
    }

    /** Sweeps as soon as the node may judge others, which one that has just started does not. */
    public void sweepWhenItMayJudge() {
        await().pollInterval(Duration.ofMillis(200)).until(() -> {
            SweepReport report = get(sweeper.sweep());
            return report.finished() && report.scanned() > 0;
        });
    }

    public Client open(String user) {
        return open(user, false);
    }

    public Client openAuthenticated(String user) {
        return open(user, true);
    }

    /** Opens a socket that says in its handshake whose it is. */
    public Client connect(String user) {
        Client client = open(user, false);
        ok(get(users.connect(client.socket, client.user, null)));
        return client;
    }

    private Client open(String user, boolean authenticated) {
        SocketId socket = new SocketId(id + ".s" + ++opened);
        Client client = new Client(socket, new UserId(user));
        clients.put(socket, client);
        presence.connect(socket, authenticated ? client.user : null, room -> true);
        return client;
    }

    /** The users of a room as this node lists them, once it counts as many. */
    public List<String> list(String room) {
        Answer<Listing> whole = await().until(
                        () -> get(presence.list(new RoomId(room), null, 1000)),
                        answer -> answer instanceof Answer.Ok<Listing> ok
                                && ok.value().viewerCount()
                                        == ok.value().page().participants().size());
        return ok(whole).page().participants().stream()
                .map(Participant::user)
                .map(UserId::value)
                .toList();
    }

    private String describe() {
        return "{\"users\":" + users.led() + "}";
    }

    /**
     * The number of users online on all nodes, as this one adds it up; -1 while it does not know, having lost its
     * lease.
     */
    public long usersOnline() {
        return get(overview.usersOnline()) instanceof Answer.Ok<Long> known ? known.value() : -1;
    }

    /** Everything stops in the middle, as after {@code kill -9}. */
    public void kill() {
        link.close();
    }

    /** Ends in order: sockets to their grace, then the lease. */
    public void shutDown() {
        get(presence.disconnectAll());
        get(lease.stop());
        kill();
    }

    @Override
    public void close() {
        kill();
    }

    public static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }

    public static <T> T ok(Answer<T> answer) {
        if (answer instanceof Answer.Ok<T> ok) {
            return ok.value();
        }
        throw new AssertionError(answer.toString());
    }

    public static PresenceError refused(Answer<?> answer) {
        if (answer instanceof Answer.Refused<?> refused) {
            return refused.error();
        }
        throw new AssertionError(answer.toString());
    }

    private final class Recording implements Clients {
        @Override
        public void enter(SocketId socket, RoomId room, long revision) {
            with(socket, client -> client.rooms.put(room, true));
        }

        @Override
        public void exit(SocketId socket, RoomId room) {
            with(socket, client -> client.rooms.remove(room));
        }

        @Override
        public void send(SocketId socket, SocketMessage message) {
            with(socket, client -> client.messages.add(message));
        }

        @Override
        public void announce(RoomNews news) {
            clients.values().stream()
                    .filter(client -> client.rooms.containsKey(news.room()))
                    .forEach(client -> client.news.add(news));
        }

        @Override
        public void enterLobby(SocketId socket, long lobby) {
            with(socket, client -> client.lobbies.put(lobby, true));
        }

        @Override
        public void exitLobby(SocketId socket, long lobby) {
            with(socket, client -> client.lobbies.remove(lobby));
        }

        @Override
        public void announceCounts(long lobby, Map<RoomId, Long> counts) {
            clients.values().stream()
                    .filter(client -> client.lobbies.containsKey(lobby))
                    .forEach(client -> counts.forEach((room, count) -> client.counts.put(room.value(), count)));
        }

        @Override
        public void disconnect(SocketId socket) {
            with(socket, client -> {
                client.disconnected = true;
                client.close();
            });
        }

        private void with(SocketId socket, Consumer<Client> action) {
            Client client = clients.get(socket);
            if (client != null) {
                action.accept(client);
            }
        }
    }

    /** A client's view. */
    public final class Client {
        public final SocketId socket;
        public final UserId user;
        public final List<RoomNews> news = new CopyOnWriteArrayList<>();
        public final List<SocketMessage> messages = new CopyOnWriteArrayList<>();
        private final Map<RoomId, Boolean> rooms = new ConcurrentHashMap<>();
        private final Map<Long, Boolean> lobbies = new ConcurrentHashMap<>();
        /** The latest count of each room that the client watches. */
        public final Map<String, Long> counts = new ConcurrentHashMap<>();

        public volatile boolean disconnected;

        private Client(SocketId socket, UserId user) {
            this.socket = socket;
            this.user = user;
        }

        /**
         * Joins as a well-behaved client does: it repeats a join that is answered with {@code presence_unavailable},
         * but not at once.
         */
        public JoinedRoom join(String room) {
            return ok(await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> get(tryJoin(room)), answer -> !isUnavailable(answer)));
        }

        private static boolean isUnavailable(Answer<?> answer) {
            return answer instanceof Answer.Refused<?> refused
                    && refused.error().code() == ErrorCode.PRESENCE_UNAVAILABLE;
        }

        public CompletionStage<Answer<JoinedRoom>> tryJoin(String room) {
            return presence.join(socket, new RoomId(room), user, new Profile(null, Username.of(user)), true);
        }

        /** Joins with a name. */
        public JoinedRoom join(String room, String username) {
            Username name = Username.parse(username).toOptional().orElseThrow();
            return ok(get(presence.join(socket, new RoomId(room), user, Profile.named(name), true)));
        }

        public Answer<Beat> heartbeat(String room) {
            return get(presence.heartbeat(socket, new RoomId(room), user));
        }

        public void leave(String room) {
            ok(get(presence.leave(socket, new RoomId(room), user, false)));
        }

        public Answer<RoomId> focus(String room) {
            return get(tryFocus(room));
        }

        public CompletionStage<Answer<RoomId>> tryFocus(String room) {
            return presence.inOrder(socket, user, () -> users.focus(socket, new RoomId(room)));
        }

        public Answer<RoomId> blur(String room) {
            return get(tryBlur(room));
        }

        public CompletionStage<Answer<RoomId>> tryBlur(String room) {
            return presence.inOrder(socket, user, () -> users.blur(socket, new RoomId(room)));
        }

        /** Watches the counts of rooms. */
        public Answer<Map<RoomId, Long>> watchRooms(String... watched) {
            Answer<Map<RoomId, Long>> answer = get(
                    presence.watch(socket, Stream.of(watched).map(RoomId::new).toList()));
            answer.toOptional().ifPresent(now -> now.forEach((room, count) -> counts.put(room.value(), count)));
            return answer;
        }

        /** Watches whether users are online. */
        public Answer<List<SocketMessage.Online>> watchUsers(String... watched) {
            List<UserId> list = Stream.of(watched).map(UserId::new).toList();
            return get(presence.inOrder(socket, () -> users.watch(socket, list)));
        }

        /** What this client was told of the users whom it watches, in order, as {@code +user} and {@code -user}. */
        public List<String> statuses() {
            return messages.stream()
                    .filter(SocketMessage.Statuses.class::isInstance)
                    .flatMap(told -> ((SocketMessage.Statuses) told).users().stream())
                    .map(status -> (status.online() ? "+" : "-") + status.user())
                    .toList();
        }

        /** The counters that this client was told, in order, as {@code room=unread}. */
        public List<String> unread() {
            return messages.stream()
                    .filter(SocketMessage.Unread.class::isInstance)
                    .map(SocketMessage.Unread.class::cast)
                    .map(told -> told.room() + "=" + told.unread())
                    .toList();
        }

        public void leaveEverywhere(String room) {
            ok(get(presence.leave(socket, new RoomId(room), user, true)));
        }

        /** The connection is gone. */
        public CompletionStage<Void> close() {
            clients.remove(socket);
            return presence.disconnect(socket, false);
        }

        /** Who left, as told to this client, with the reason, in order. */
        public List<String> left() {
            return news.stream()
                    .flatMap(told -> told.left().stream())
                    .map(left -> left.user() + " " + left.reason().wire())
                    .toList();
        }

        /** Which other users joined, as told to this client, in order. It may or may not hear of its own join. */
        public List<String> joined() {
            return news.stream()
                    .flatMap(told -> told.joined().stream())
                    .map(joined -> joined.user().value())
                    .filter(joined -> !joined.equals(user.value()))
                    .toList();
        }

        /** Who was updated, as told to this client, with the name, in order. */
        public List<String> updated() {
            return news.stream()
                    .flatMap(told -> told.updated().stream())
                    .map(updated -> updated.user() + " " + updated.username())
                    .toList();
        }

        public SocketMessage.@Nullable ForceLeave forceLeave() {
            return messages.stream()
                    .filter(SocketMessage.ForceLeave.class::isInstance)
                    .map(SocketMessage.ForceLeave.class::cast)
                    .findFirst()
                    .orElse(null);
        }
    }
}
