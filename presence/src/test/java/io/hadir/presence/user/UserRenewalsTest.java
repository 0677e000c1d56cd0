package io.hadir.presence.user;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.user.UserStore.Renewal;
import io.hadir.presence.user.UserStore.Renewed;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a node renews its users, and how many at a time. */
class UserRenewalsTest {
    private static final UserSettings SETTINGS = UserSettings.of(Duration.ofSeconds(15), 20);
    private static final int MOST_AT_ONCE = 500;

    private final TestLoop loop = new TestLoop();
    private final LocalUsers local = new LocalUsers();
    private final Deque<Question> asked = new ArrayDeque<>();
    private final List<UserId> renewed = new ArrayList<>();
    private final List<SocketId> lookedFor = new ArrayList<>();
    private final List<UserId> updated = new ArrayList<>();
    private boolean isAvailable = true;
    private int mostUnderWay;
    private UserRenewals renewals;

    /** What the store was asked about these users; it answers when the test says so. */
    private record Question(List<UserId> users, Runnable answer, Runnable fail) {}

    @BeforeEach
    void wire() {
        UserStore store = (UserStore) Proxy.newProxyInstance(
                UserStore.class.getClassLoader(),
                new Class<?>[] {UserStore.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "isAvailable" -> isAvailable;
                    case "renew" -> renew(arguments[0]);
                    case "update" -> update((UserUpdate) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        renewals = new UserRenewals(store, local, loop, SETTINGS, socket -> List.of(), (socket, message) -> {});
        renewals.start();
    }

    private CompletableFuture<Map<UserId, Renewed>> renew(Object renewals) {
        CompletableFuture<Map<UserId, Renewed>> answer = new CompletableFuture<>();
        List<Renewal> each =
                ((List<?>) renewals).stream().map(Renewal.class::cast).toList();
        List<UserId> users = each.stream().map(Renewal::user).toList();
        each.forEach(one -> lookedFor.addAll(one.sockets()));
        Map<UserId, Renewed> all = new HashMap<>();
        users.forEach(user -> all.put(user, Renewed.RENEWED));
        ask(new Question(
                users,
                () -> {
                    renewed.addAll(users);
                    answer.complete(all);
                },
                () -> answer.complete(Map.of())));
        return answer;
    }

    private CompletableFuture<Optional<UserUpdate.Outcome>> update(UserUpdate update) {
        CompletableFuture<Optional<UserUpdate.Outcome>> answer = new CompletableFuture<>();
        List<Long> since = update.sockets().stream().map(socket -> 0L).toList();
        ask(new Question(
                List.of(update.user()),
                () -> {
                    updated.add(update.user());
                    answer.complete(Optional.of(new UserUpdate.Outcome(true, since, Map.of(), Instant.EPOCH)));
                },
                () -> answer.completeExceptionally(new IllegalStateException())));
        return answer;
    }

    private void ask(Question question) {
        asked.add(question);
        mostUnderWay = Math.max(
                mostUnderWay, asked.stream().mapToInt(one -> one.users().size()).sum());
    }

    private void connect(int users) {
        for (int i = 0; i < users; i++) {
            UserId id = new UserId("u" + i);
            UserSocket socket = local.open(new SocketId("n.s" + i), id, null, null, loop.nanos());
            socket.admitted = CompletableFuture.completedFuture(Answer.ok(id));
            local.lead(socket.user, true);
        }
    }

    /** Lets the store answer everything, also what it is asked meanwhile. */
    private void answer() {
        for (Question next = asked.poll(); next != null; next = asked.poll()) {
            next.answer().run();
            loop.run();
        }
    }

    private void pass(Duration time) {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plusSeconds(1)) {
            loop.advance(Duration.ofSeconds(1));
            answer();
        }
    }

    @Test
    void everyUserIsRenewedOncePerInterval() {
        connect(100);
        pass(SETTINGS.renewal());
        assertThat(renewed).doesNotHaveDuplicates().hasSize(100);
        pass(SETTINGS.renewal());
        assertThat(renewed).hasSize(200);
        assertThat(updated).isEmpty();
    }

    @Test
    void everyThirdRenewalLooksForTheSocketsOfTheUser() {
        connect(10);
        pass(SETTINGS.renewal().multipliedBy(2));
        assertThat(lookedFor).isEmpty();
        pass(SETTINGS.renewal());
        assertThat(lookedFor).doesNotHaveDuplicates().hasSize(10);
        pass(SETTINGS.renewal().multipliedBy(3));
        assertThat(lookedFor).hasSize(20);
    }

    @Test
    void theSocketsOfEveryUserAreReportedAgainBeforeTheyExpire() {
        connect(10);
        pass(SETTINGS.report().minusSeconds(1));
        assertThat(updated).isEmpty();
        pass(SETTINGS.renewal().plusSeconds(1));
        assertThat(updated).doesNotHaveDuplicates().hasSize(10);
        pass(SETTINGS.report().minus(SETTINGS.renewal()).minusSeconds(1));
        assertThat(updated).hasSize(10);
    }

    @Test
    void f17_afterAnOutageAFewHundredUsersAreReportedAtATime() {
        connect(5_000);
        CompletableFuture<Void> done = renewals.catchUp().toCompletableFuture();
        loop.run();
        assertThat(asked).hasSize(MOST_AT_ONCE);
        loop.advance(Duration.ofSeconds(5));
        answer();
        assertThat(done).isCompleted();
        assertThat(updated).hasSize(5_000);
        assertThat(mostUnderWay).isLessThanOrEqualTo(2 * MOST_AT_ONCE);
    }

    @Test
    void slowAnswersDelayRenewalsButNeitherPileThemUpNorSkipAUser() {
        connect(30_000);
        loop.advance(Duration.ofSeconds(20));
        assertThat(mostUnderWay).isLessThanOrEqualTo(MOST_AT_ONCE);
        answer();
        pass(Duration.ofSeconds(10));
        assertThat(renewed).doesNotHaveDuplicates().hasSize(30_000);
        assertThat(mostUnderWay).isLessThanOrEqualTo(MOST_AT_ONCE);
    }

    @Test
    void f17_usersWhoCouldNotBeRenewedAreRenewedWhenTheStoreIsBack() {
        connect(30);
        loop.advance(Duration.ofSeconds(1));
        Question lost = asked.remove();
        isAvailable = false;
        lost.fail().run();
        pass(Duration.ofSeconds(10));
        assertThat(renewed).isEmpty();
        isAvailable = true;
        pass(Duration.ofSeconds(2));
        assertThat(renewed).containsAll(lost.users()).hasSizeGreaterThan(10);
    }

    @Test
    void aUserWhomAnotherNodeLeadsIsReportedEveryTime() {
        connect(1);
        local.lead(local.all().get(0), false);
        pass(SETTINGS.renewal());
        assertThat(updated).hasSize(1);
        assertThat(local.led()).isOne();
    }
}
