package io.hadir.presence.user;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.Clients;
import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who is told that users came online or went offline, when, and what it takes. */
class ContactsTest {
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final UserSettings SETTINGS = UserSettings.of(Duration.ofSeconds(15), 20);
    private static final SocketId ANA = new SocketId("n.ana");
    private static final SocketId BUDI = new SocketId("n.budi");

    private final TestLoop loop = new TestLoop();
    private final Set<UserId> online = new HashSet<>();
    /** The users of every question. */
    private final List<List<UserId>> asked = new ArrayList<>();

    private final List<UserId> unwatched = new ArrayList<>();
    private final Set<UserId> unreachable = new HashSet<>();
    private final Map<SocketId, List<String>> told = new HashMap<>();
    private boolean isAway;

    private final UserStore store = (UserStore) Proxy.newProxyInstance(
            UserStore.class.getClassLoader(), new Class<?>[] {UserStore.class}, (proxy, method, arguments) -> {
                List<UserId> users = ((Collection<?>) arguments[0])
                        .stream().map(UserId.class::cast).toList();
                if (isAway) {
                    return CompletableFuture.failedFuture(new IllegalStateException("away"));
                }
                if (method.getName().equals("unwatch")) {
                    unwatched.addAll(users);
                    return CompletableFuture.completedFuture(null);
                }
                asked.add(users);
                return CompletableFuture.completedFuture(users.stream()
                        .filter(user -> !unreachable.contains(user))
                        .map(user -> new SocketMessage.Online(user, online.contains(user), null))
                        .toList());
            });
    private final Clients clients = (Clients) Proxy.newProxyInstance(
            Clients.class.getClassLoader(), new Class<?>[] {Clients.class}, (proxy, method, arguments) -> {
                SocketMessage.Statuses message = (SocketMessage.Statuses) arguments[1];
                told.computeIfAbsent((SocketId) arguments[0], first -> new ArrayList<>())
                        .add(String.join(
                                " ",
                                message.users().stream()
                                        .map(user -> (user.online() ? "+" : "-") + user.user())
                                        .toList()));
                return null;
            });
    private final Contacts contacts = new Contacts(store, clients, loop, SETTINGS);

    private static UserId user(String id) {
        return new UserId(id);
    }

    private void watch(SocketId socket, String... users) {
        contacts.watch(socket, Stream.of(users).map(UserId::new).toList());
        loop.run();
    }

    private void connect(String id) {
        online.add(user(id));
        contacts.changed(user(id));
    }

    private void disconnect(String id) {
        online.remove(user(id));
        contacts.changed(user(id));
    }

    private List<String> told(SocketId socket) {
        return told.getOrDefault(socket, List.of());
    }

    @Test
    void eachSocketHearsOfItsOwnUsersOnly() {
        connect("u3");
        watch(ANA, "u1", "u2", "u3");
        watch(BUDI, "u3", "u4", "u5");
        connect("u1");
        connect("u2");
        disconnect("u3");
        connect("u5");
        connect("u6");
        loop.advance(PERIOD);
        assertThat(told(ANA)).containsExactly("+u1 +u2 -u3");
        assertThat(told(BUDI)).containsExactly("-u3 +u5");
    }

    @Test
    void aSocketIsToldAtMostEveryTwoSeconds() {
        watch(ANA, "u1", "u2");
        connect("u1");
        loop.advance(PERIOD.minusMillis(1));
        assertThat(told(ANA)).isEmpty();
        // A new watcher finds out at once, which tells the others no sooner.
        online.add(user("u2"));
        watch(BUDI, "u2");
        loop.advance(Duration.ofMillis(1));
        assertThat(told(ANA)).containsExactly("+u2 +u1");
        disconnect("u1");
        loop.advance(PERIOD.minusMillis(1));
        assertThat(told(ANA)).hasSize(1);
        loop.advance(Duration.ofMillis(1));
        assertThat(told(ANA)).containsExactly("+u2 +u1", "-u1");
        assertThat(told(BUDI)).as("its answer said so").isEmpty();
    }

    @Test
    void aReloadedPageTellsNobodyAnything() {
        connect("u1");
        watch(ANA, "u1");
        disconnect("u1");
        connect("u1");
        loop.advance(PERIOD.multipliedBy(2));
        assertThat(told(ANA)).isEmpty();
    }

    @Test
    void theCostFollowsTheChanges() {
        String[] users = IntStream.range(0, 2500).mapToObj(i -> "u" + i).toArray(String[]::new);
        watch(ANA, users);
        watch(BUDI, users);
        asked.clear();
        loop.advance(SETTINGS.report().minus(PERIOD.multipliedBy(2)));
        assertThat(asked).as("without a change").isEmpty();
        connect("u7");
        connect("somebody else");
        loop.advance(PERIOD);
        assertThat(asked).containsExactly(List.of(user("u7")));
    }

    @Test
    void whomANodeWatchesIsSaidAgainBeforeTheStoreForgetsIt() {
        watch(ANA, "u1", "u2");
        asked.clear();
        loop.advance(SETTINGS.watched());
        assertThat(asked)
                .hasSizeGreaterThan(1)
                .allSatisfy(users -> assertThat(users).containsExactlyInAnyOrder(user("u1"), user("u2")));
        contacts.forget(ANA);
        asked.clear();
        loop.advance(SETTINGS.watched());
        assertThat(asked).isEmpty();
    }

    @Test
    void f06_afterTheDeathOfANodeItsUsersAreFoundOfflineWhenTheyExpire() {
        connect("u1");
        watch(ANA, "u1", "u2");
        asked.clear();
        contacts.awaitExpiry();
        loop.advance(SETTINGS.online().minusSeconds(1));
        online.remove(user("u1"));
        loop.advance(Duration.ofSeconds(30));
        assertThat(told(ANA)).containsExactly("-u1");
        assertThat(asked).allSatisfy(users -> assertThat(users).containsExactly(user("u1")));
        asked.clear();
        loop.advance(Duration.ofMinutes(2));
        assertThat(asked).as("it is over").isEmpty();
    }

    @Test
    void f17_whatChangedWhileTheStoreWasAwayIsToldAfterwards() {
        watch(ANA, "u1", "u2");
        isAway = true;
        connect("u1");
        online.add(user("u2"));
        loop.advance(PERIOD.multipliedBy(5));
        assertThat(told(ANA)).isEmpty();
        isAway = false;
        loop.advance(PERIOD);
        assertThat(told(ANA)).containsExactly("+u1");
        contacts.readAgain();
        loop.advance(PERIOD);
        assertThat(told(ANA)).containsExactly("+u1", "+u2");
    }

    @Test
    void aSocketThatMayNoLongerWatchAUserHearsNothingMoreOfThem() {
        watch(ANA, "u1", "u2");
        // Found, but not told yet.
        online.add(user("u1"));
        watch(BUDI, "u1");
        contacts.restrict(ANA, user("u2")::equals);
        connect("u2");
        loop.advance(PERIOD);
        assertThat(told(ANA)).containsExactly("+u2");
    }

    @Test
    void aNewListReplacesTheLastOne() {
        watch(ANA, "u1", "u2");
        watch(ANA, "u2", "u3");
        connect("u1");
        connect("u3");
        loop.advance(PERIOD);
        assertThat(told(ANA)).containsExactly("+u3");
        watch(ANA);
        disconnect("u3");
        loop.advance(PERIOD);
        assertThat(told(ANA)).hasSize(1);
    }

    @Test
    void a53_theStoreForgetsWhomNobodyWatchesAnyMore() {
        watch(ANA, "u1", "u2", "u3");
        watch(BUDI, "u2");
        watch(ANA, "u3");
        loop.advance(PERIOD);
        assertThat(unwatched).containsExactly(user("u1"));
        contacts.forget(ANA);
        contacts.forget(BUDI);
        watch(BUDI, "u3");
        loop.advance(PERIOD);
        assertThat(unwatched).containsExactly(user("u1"), user("u2"));
    }

    @Test
    void f37_aUserWhomTheStoreCannotReachHidesNoOtherAndIsToldLater() {
        unreachable.add(user("u1"));
        online.add(user("u1"));
        watch(ANA, "u1", "u2");
        connect("u2");
        loop.advance(PERIOD);
        assertThat(told(ANA)).containsExactly("+u2");
        unreachable.clear();
        // Another socket's answer is the first one about that user.
        watch(BUDI, "u1");
        loop.advance(PERIOD);
        assertThat(told(ANA)).containsExactly("+u2", "+u1");
        assertThat(told(BUDI)).isEmpty();
    }
}
