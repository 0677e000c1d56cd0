package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.Clients;
import io.hadir.presence.LocalNode;
import io.hadir.presence.Presence;
import io.hadir.presence.Presence.Beat;
import io.hadir.presence.RoomStore;
import io.hadir.presence.SeatStore;
import io.hadir.presence.Stores;
import io.hadir.presence.UserListener;
import io.hadir.presence.contract.InMemoryStores;
import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.PresenceUnavailableException;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.room.Username;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A test of the rules: two nodes that share stores in memory, on one loop. Time passes only while a test waits. */
abstract class TwoNodes {
    static final PresenceSettings SETTINGS = new PresenceSettings(
            Duration.ofMinutes(1),
            Duration.ofSeconds(1),
            Duration.ofMillis(1500),
            Duration.ofHours(1),
            Duration.ofSeconds(3),
            1000,
            50);

    /** Longer than changes are collected before they are announced, and than a missed one is waited for. */
    private static final Duration SOON = Duration.ofSeconds(1);

    private static final Duration STEP = Duration.ofMillis(10);

    /** What every join waits for after it has joined. */
    CompletionStage<Void> focusing = CompletableFuture.completedFuture(null);

    /** What a socket that is not admitted is told; null if every socket is. */
    @Nullable
    PresenceError notAdmitted;

    /** Whether nobody can say if the user of a socket that moved was disconnected meanwhile. */
    boolean movesAreUnsure;

    /** The steps of the stores that fail. */
    final Set<String> failing = new HashSet<>();

    final TestLoop loop = new TestLoop();
    final InMemoryStores memory = new InMemoryStores(loop, SETTINGS);
    final TestNode a = new TestNode("a");
    final TestNode b = new TestNode("b");

    /** Lets everything that is under way arrive. */
    final void settle() {
        loop.advance(SOON);
    }

    /** What comes of a stage, at once or after the short pauses that some steps make. */
    final <T> T get(CompletionStage<T> stage) {
        loop.run();
        CompletableFuture<T> future = stage.toCompletableFuture();
        for (Duration waited = Duration.ZERO; !future.isDone() && waited.compareTo(SOON) < 0; ) {
            loop.advance(STEP);
            waited = waited.plus(STEP);
        }
        assertThat(future).isDone();
        return future.join();
    }

    static <T> T ok(Answer<T> answer) {
        assertThat(answer).isInstanceOf(Answer.Ok.class);
        return ((Answer.Ok<T>) answer).value();
    }

    static PresenceError refused(Answer<?> answer) {
        assertThat(answer).isInstanceOf(Answer.Refused.class);
        return ((Answer.Refused<?>) answer).error();
    }

    static Seat seat(String room, String user) {
        return new Seat(new RoomId(room), new UserId(user));
    }

    final class TestNode implements Clients {
        final Presence presence;
        private final String id;
        private final Map<SocketId, Client> clients = new HashMap<>();

        private TestNode(String id) {
            this.id = id;
            presence = new Presence(id, stores(), memory.feed(), this, loop, loop, SETTINGS, everybody());
        }

        Client open(String user) {
            return open(user, false);
        }

        Client openAuthenticated(String user) {
            return open(user, true);
        }

        private Client open(String user, boolean authenticated) {
            Client client = new Client(this, new SocketId(id + ".s" + clients.size()), new UserId(user));
            clients.put(client.socket, client);
            presence.connect(client.socket, authenticated ? client.user : null, room -> true);
            loop.run();
            return client;
        }

        /** The app of a client that is in the room moves it here from a node that is gone. */
        Client takeOver(Client moved, String room, long heard) {
            Client client = move(moved, room);
            ok(get(client.beginTakeOver(room, heard)));
            return client;
        }

        /** The app of a client that is in these rooms moves it here. It is in none before it is taken over there. */
        Client move(Client moved, String... rooms) {
            Client client = new Client(this, new SocketId(id + ".s" + clients.size()), moved.user);
            clients.put(client.socket, client);
            List<RoomId> from = Arrays.stream(rooms).map(RoomId::new).toList();
            presence.move(client.socket, null, any -> true, from);
            return client;
        }

        List<String> list(String room) {
            Listing listing = ok(get(presence.list(new RoomId(room), null, 1000)));
            List<Participant> listed = listing.page().participants();
            assertThat(listing.viewerCount()).isEqualTo(listed.size());
            return listed.stream()
                    .map(participant -> participant.user().value())
                    .toList();
        }

        /** This node's part of a sweep: compares its rooms with the stores. */
        void check() {
            CompletionStage<LocalNode.OwnRooms> checked = CompletableFuture.supplyAsync(
                            presence.node()::checkRooms, loop)
                    .thenCompose(done -> done);
            assertThat(get(checked).answered()).isTrue();
        }

        @Override
        public void enter(SocketId socket, RoomId room, long revision) {
            clients.get(socket).rooms.add(room);
        }

        @Override
        public void exit(SocketId socket, RoomId room) {
            clients.get(socket).rooms.remove(room);
        }

        @Override
        public void send(SocketId socket, SocketMessage message) {
            clients.get(socket).messages.add(message);
        }

        @Override
        public void announce(RoomNews news) {
            clients.values().stream()
                    .filter(client -> client.rooms.contains(news.room()))
                    .forEach(client -> client.news.add(news));
        }

        @Override
        public void enterLobby(SocketId socket, long lobby) {
            clients.get(socket).lobbies.add(lobby);
        }

        @Override
        public void exitLobby(SocketId socket, long lobby) {
            clients.get(socket).lobbies.remove(lobby);
        }

        @Override
        public void announceCounts(long lobby, Map<RoomId, Long> counts) {
            clients.values().stream()
                    .filter(client -> client.lobbies.contains(lobby))
                    .forEach(client -> client.counts.add(counts));
        }

        @Override
        public void disconnect(SocketId socket) {
            clients.get(socket).disconnected = true;
        }
    }

    /** A client's view. */
    final class Client {
        final SocketId socket;
        final UserId user;
        final List<RoomNews> news = new ArrayList<>();
        final List<SocketMessage> messages = new ArrayList<>();
        boolean disconnected;
        private final TestNode node;
        private final Set<RoomId> rooms = new HashSet<>();
        private final Set<Long> lobbies = new HashSet<>();
        /** The counts of watched rooms that this client was told. */
        final List<Map<RoomId, Long>> counts = new ArrayList<>();

        private Client(TestNode node, SocketId socket, UserId user) {
            this.node = node;
            this.socket = socket;
            this.user = user;
        }

        JoinedRoom join(String room) {
            return ok(tryJoin(room));
        }

        Answer<JoinedRoom> tryJoin(String room) {
            return get(beginJoin(room));
        }

        /** Joins, without waiting for the answer. */
        CompletionStage<Answer<JoinedRoom>> beginJoin(String room) {
            Profile nameless = new Profile(null, Username.of(user));
            return node.presence.join(socket, new RoomId(room), user, nameless, true);
        }

        /** Takes a client that moved here over in a room, without waiting for the answer. */
        CompletionStage<Answer<JoinedRoom>> beginTakeOver(String room, long heard) {
            Profile nameless = new Profile(null, Username.of(user));
            Presence.Moved moved = new Presence.Moved(true, false, heard, heard, Duration.ofSeconds(1));
            return node.presence.takeOver(socket, new RoomId(room), user, nameless, moved);
        }

        JoinedRoom join(String room, String username) {
            Username name = Username.parse(username).toOptional().orElseThrow();
            return ok(get(node.presence.join(socket, new RoomId(room), user, Profile.named(name), true)));
        }

        Answer<Beat> heartbeat(String room) {
            return get(node.presence.heartbeat(socket, new RoomId(room), user));
        }

        void leave(String room) {
            ok(get(node.presence.leave(socket, new RoomId(room), user, false)));
        }

        void leaveEverywhere(String room) {
            ok(get(node.presence.leave(socket, new RoomId(room), user, true)));
        }

        /** Changes the user's data. */
        Answer<RoomId> update(String room, String data) {
            Profile profile = new Profile(null, Username.of(user), data);
            return get(node.presence.update(socket, new RoomId(room), user, profile));
        }

        Answer<Map<RoomId, Duration>> pause(String room) {
            return get(node.presence.pause(socket, user, new RoomId(room)));
        }

        Map<RoomId, Duration> pause() {
            return ok(get(node.presence.pause(socket, user, null)));
        }

        Map<RoomId, Duration> resume() {
            return ok(get(node.presence.resume(socket, user, null)));
        }

        Map<RoomId, Long> watch(String... watched) {
            List<RoomId> list = Arrays.stream(watched).map(RoomId::new).toList();
            return ok(get(node.presence.watch(socket, list)));
        }

        /** The connection broke, or nothing came by it any more. */
        void fallSilent() {
            get(node.presence.disconnect(socket, true));
        }

        /** The client closed the connection. */
        void close() {
            get(node.presence.disconnect(socket, false));
        }

        /** Who left, as told to this client, with the reason, in order. */
        List<String> left() {
            return news.stream()
                    .flatMap(told -> told.left().stream())
                    .map(left -> left.user() + " " + left.reason().wire())
                    .toList();
        }

        /** Who joined, as told to this client, in order. */
        List<String> joined() {
            return news.stream()
                    .flatMap(told -> told.joined().stream())
                    .map(joined -> joined.user().value())
                    .toList();
        }

        /** Who was updated, as told to this client, with the name, in order. */
        List<String> updated() {
            return news.stream()
                    .flatMap(told -> told.updated().stream())
                    .map(updated -> updated.user() + " " + updated.username()
                            + (updated.state() == Participant.State.AWAY ? " away" : "")
                            + (updated.data() == null ? "" : " " + updated.data()))
                    .toList();
        }

        RoomNews lastNews() {
            return news.get(news.size() - 1);
        }

        /** The force-leaves that this client got, in order. */
        List<String> forceLeaves() {
            return messages.stream()
                    .filter(SocketMessage.ForceLeave.class::isInstance)
                    .map(SocketMessage.ForceLeave.class::cast)
                    .map(told -> told.room() + " " + told.reason().wire())
                    .toList();
        }
    }

    private Stores stores() {
        Stores all = memory.stores();
        return new Stores(
                failing(SeatStore.class, all.seats()),
                failing(RoomStore.class, all.rooms()),
                all.directory(),
                all.settings(),
                all.nodeRooms());
    }

    /** A store of which some steps fail. */
    private <T> T failing(Class<T> type, T store) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> failing.contains(method.getName())
                        ? CompletableFuture.failedFuture(
                                new PresenceUnavailableException("silent", new IllegalStateException()))
                        : method.invoke(store, arguments)));
    }

    /** Admits every socket to every user, and has nothing else to do. */
    private UserListener everybody() {
        return (UserListener) Proxy.newProxyInstance(
                UserListener.class.getClassLoader(),
                new Class<?>[] {UserListener.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("joining")) {
                        return new Focusing(focusing);
                    }
                    if (method.getName().equals("admitMoved") && movesAreUnsure) {
                        return CompletableFuture.completedFuture(Answer.refused(PresenceError.unavailable()));
                    }
                    if (method.getName().equals("admit") && notAdmitted != null) {
                        return CompletableFuture.completedFuture(Answer.refused(notAdmitted));
                    }
                    Object user = method.getName().startsWith("admit") ? Answer.ok(arguments[1]) : null;
                    return method.getReturnType() == void.class ? null : CompletableFuture.completedFuture(user);
                });
    }

    /** A join whose update of the user takes as long as a test wants. */
    private record Focusing(CompletionStage<Void> done) implements UserListener.Joining {
        @Override
        public @Nullable UserUpdate update() {
            return null;
        }

        @Override
        public CompletionStage<Void> joined(CompletionStage<UserUpdate.Outcome> outcome) {
            return done;
        }

        @Override
        public void unknown() {}
    }
}
