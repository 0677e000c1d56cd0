package io.hadir.redis.user;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedCluster;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Disconnects;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that watch rooms and users hear of changes on another node, also when Redis or a node fails meanwhile. */
class WatchIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    /** Users of a dead node are offline soon. Whom a node watches is not said again while a test runs. */
    private static final UserSettings USERS =
            new UserSettings(Duration.ofSeconds(20), Duration.ofSeconds(1), Duration.ofSeconds(60), 20);

    private TestNode a;
    private TestNode b;

    @BeforeEach
    void start() {
        a = TestNode.started(REDIS.url(), USERS);
        b = TestNode.started(REDIS.url(), USERS);
    }

    @AfterEach
    void stop() throws Exception {
        REDIS.wake();
        a.close();
        b.close();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    private static List<Boolean> online(List<SocketMessage.Online> answer) {
        return answer.stream().map(SocketMessage.Online::online).toList();
    }

    @Test
    void watchersHearOfManyUsersOnAnotherNode() {
        TestNode.Client adi = b.connect("adi");
        TestNode.Client tab = a.connect("adi");
        TestNode.Client ana = a.connect("ana");
        assertThat(online(ok(ana.watchUsers("adi", "budi", "cici", "ana")))).containsExactly(true, false, false, true);
        TestNode.Client other = a.connect("other");
        ok(other.watchUsers("cici", "dewi"));

        TestNode.Client budi = b.connect("budi");
        b.connect("cici");
        soon().until(() -> List.of("+budi", "+cici").equals(sorted(ana)));
        soon().until(() -> List.of("+cici").equals(other.statuses()));
        get(adi.close());
        get(budi.close());
        soon().until(() -> List.of("+budi", "+cici", "-budi").equals(sorted(ana)));
        assertThat(ana.statuses()).as("adi has another tab").doesNotContain("-adi");
        get(tab.close());
        soon().until(() -> ana.statuses().contains("-adi"));
        ok(get(new Disconnects(b.users, b.presence, Duration.ofMinutes(1))
                .disconnect(new UserId("cici"), null, false)));
        soon().until(() -> ana.statuses().contains("-cici") && other.statuses().contains("-cici"));
        assertThat(ana.statuses()).hasSize(5);
    }

    private static List<String> sorted(TestNode.Client client) {
        return client.statuses().stream().sorted().toList();
    }

    @Test
    void whomANodeWatchesIsForgottenByItself() {
        TestNode.Client ana = a.connect("ana");
        ok(ana.watchUsers("adi"));
        assertThat(REDIS.cli().keys("hadir:user:*:watchers")).containsExactly("hadir:user:adi:watchers");
        assertThat(REDIS.cli().pttl("hadir:user:adi:watchers"))
                .isBetween(1L, USERS.watched().toMillis());
        ok(b.connect("budi").watchUsers("adi"));
        assertThat(REDIS.cli().get("hadir:user:adi:watchers")).contains(a.id + " ", b.id + " ");
        // A node whose time is over is dropped by the next step, and so is one from the future.
        REDIS.cli().set("hadir:user:adi:watchers", " old 1 future 99999999999999");
        ok(ana.watchUsers("adi"));
        assertThat(REDIS.cli().get("hadir:user:adi:watchers")).matches(" " + a.id + " \\d+");
        ok(ana.watchUsers("dewi"));
        soon().until(() ->
                List.of("hadir:user:dewi:watchers").equals(REDIS.cli().keys("hadir:user:*:watchers")));
    }

    @Test
    void f06_theUsersOfAKilledNodeAreToldToBeOffline() {
        TestNode.Client ana = a.connect("ana");
        b.connect("adi");
        b.connect("budi");
        a.connect("budi");
        assertThat(online(ok(ana.watchUsers("adi", "budi")))).containsExactly(true, true);
        b.kill();
        soon().until(() -> ana.statuses().equals(List.of("-adi")));
    }

    @Test
    void f17_watchersAreRefusedWhileRedisIsAwayAndHearEverythingAfterwards() throws Exception {
        TestNode.Client ana = a.connect("ana");
        TestNode.Client adi = b.connect("adi");
        TestNode.Client budi = b.connect("budi");
        adi.join("r");
        ok(ana.watchUsers("adi", "cici"));
        ok(ana.watchRooms("r", "s"));
        assertThat(ana.counts).isEqualTo(Map.of("r", 1L, "s", 0L));
        REDIS.freeze();
        try {
            TestNode.Client late = a.open("late");
            assertThat(refused(late.watchUsers("adi")).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            assertThat(refused(late.watchRooms("r")).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            get(b.presence.leave(adi.socket, new RoomId("r"), adi.user, false));
            b.connect("cici");
            assertThat(ana.statuses()).isEmpty();
        } finally {
            REDIS.wake();
        }
        soon().until(() -> ana.counts.equals(Map.of("r", 0L, "s", 0L)));
        soon().until(() -> ana.statuses().equals(List.of("+cici")));
        // From now on as before.
        budi.join("s");
        get(adi.close());
        soon().until(() -> ana.counts.equals(Map.of("r", 0L, "s", 1L)));
        soon().until(() -> ana.statuses().equals(List.of("+cici", "-adi")));
    }

    @Test
    void f26_watchersHearOfChangesAfterAFlush() {
        TestNode.Client ana = a.connect("ana");
        TestNode.Client adi = b.connect("adi");
        ok(ana.watchUsers("adi", "budi"));
        ok(ana.watchRooms("r"));
        REDIS.cli().flushall();
        soon().until(() -> REDIS.cli().exists("hadir:user:adi:watchers", "user:adi:online") == 2);
        b.connect("budi").join("r");
        soon().until(() -> ana.statuses().contains("+budi"));
        soon().until(() -> ana.counts.equals(Map.of("r", 1L)));
        get(adi.close());
        soon().until(() -> ana.statuses().contains("-adi"));
    }

    @Test
    void f31_whatChangesWhileTheConnectionsAreCutIsToldAfterwards() {
        TestNode.Client ana = a.connect("ana");
        String[] watched = IntStream.range(0, 60).mapToObj(i -> "u" + i).toArray(String[]::new);
        ok(ana.watchUsers(watched));
        ok(ana.watchRooms("r"));
        for (String user : watched) {
            TestNode.Client client = b.connect(user);
            client.join("r");
            if (user.endsWith("9")) {
                REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
            }
        }
        soon().until(() -> ana.counts.equals(Map.of("r", 60L)));
        soon().until(() -> ana.statuses().size() == 60);
        assertThat(ana.statuses()).doesNotHaveDuplicates().allMatch(told -> told.startsWith("+"));
    }

    @Test
    void aClusterTellsWatchersOfUsersAndRoomsOnAllItsMasters() throws Exception {
        try (EmbeddedCluster redis = EmbeddedCluster.start();
                TestNode one = TestNode.started(redis.url(), USERS);
                TestNode two = TestNode.started(redis.url(), USERS)) {
            TestNode.Client ana = one.connect("ana");
            String[] names = IntStream.range(0, 20).mapToObj(i -> "n" + i).toArray(String[]::new);
            ok(ana.watchUsers(names));
            ok(ana.watchRooms(names));
            List<TestNode.Client> clients =
                    IntStream.range(0, 20).mapToObj(i -> two.connect("n" + i)).toList();
            clients.forEach(client -> client.join(client.user.value()));
            soon().until(() -> ana.statuses().size() == 20);
            soon().until(() ->
                    ana.counts.size() == 20 && ana.counts.values().stream().allMatch(count -> count == 1));
            clients.forEach(client -> get(client.close()));
            soon().until(() -> ana.statuses().size() == 40);
            assertThat(ana.statuses()).doesNotHaveDuplicates();
        }
    }
}
