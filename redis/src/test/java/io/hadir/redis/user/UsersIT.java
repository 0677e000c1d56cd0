package io.hadir.redis.user;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Message;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.UserStatus;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of users when time passes and things break. */
class UsersIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final UserId ADI = new UserId("adi");
    /** As short as a test can wait for. */
    private static final UserSettings SHORT =
            new UserSettings(Duration.ofSeconds(6), Duration.ofSeconds(1), Duration.ofSeconds(7), 20);

    /** So slow that nothing ends or is said again by itself while a test waits. */
    private static final UserSettings SLOW =
            new UserSettings(Duration.ofHours(2), Duration.ofMinutes(30), Duration.ofHours(2), 20);

    private static final Duration LONG = Duration.ofSeconds(40);

    private TestNode a;
    private TestNode b;

    @BeforeEach
    void start() {
        a = TestNode.started(REDIS.url(), SHORT);
        b = TestNode.started(REDIS.url(), SHORT);
    }

    @AfterEach
    void stop() {
        a.close();
        b.close();
    }

    @Test
    void unchangedUsersAreRenewedAndEveryOnlineKeyHasATtl() {
        TestNode.Client client = a.connect("adi");
        client.join("r");
        String before = REDIS.cli().get("user:adi:last_seen");
        await().atMost(LONG).until(() -> !before.equals(REDIS.cli().get("user:adi:last_seen")));
        for (String key : List.of("user:adi:online", "user:adi:active_room")) {
            assertThat(REDIS.cli().pttl(key))
                    .as(key)
                    .isBetween(1L, SHORT.online().toMillis());
        }
        await().during(SHORT.online().plusSeconds(1))
                .atMost(LONG)
                .until(() -> status(b).online() && status(b).activeRoom() != null);
    }

    @Test
    void f06_whenANodeIsKilledOnlineDiesUnlessAnotherNodeHasASocket() {
        a.connect("adi").join("r");
        TestNode.Client other = b.connect("adi");
        ok(other.focus("r2"));
        a.connect("budi");
        ok(a.connect("adi").focus("r1"));
        a.kill();
        await().atMost(LONG).until(() -> REDIS.cli().exists("user:budi:online") == 0);
        await().atMost(LONG).until(() -> "r2".equals(active()));
        assertThat(status(b).online()).isTrue();
        await().atMost(LONG).until(() -> sockets() == 1);
        get(other.close());
        assertThat(status(b).online()).isFalse();
    }

    @Test
    void f17_socketsConnectWhileRedisIsAwayAndAreKnownAfterwards() throws Exception {
        TestNode.Client one = a.connect("adi");
        TestNode.Client gone = a.connect("gone");
        REDIS.freeze();
        TestNode.Client two;
        try {
            two = b.connect("budi");
            assertThat(refused(two.focus("r")).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            assertThat(refused(get(a.users.status(List.of(ADI)))).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            assertThat(refused(get(a.users.message(new Message(new RoomId("r"), ADI, List.of(two.user), null))))
                            .code())
                    .isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            get(gone.close());
        } finally {
            REDIS.wake();
        }
        await().atMost(LONG)
                .until(() -> REDIS.cli().exists("user:adi:online") == 1
                        && "r".equals(REDIS.cli().get("user:budi:active_room"))
                        && REDIS.cli().exists("user:gone:online") == 0);
        assertThat(one.disconnected).isFalse();
    }

    @Test
    void socketsOfAKilledNodeDoNotCountForLong() {
        for (int i = 0; i < SHORT.socketsPerUser(); i++) {
            a.connect("adi");
        }
        a.kill();
        await().atMost(LONG).until(() -> {
            TestNode.Client again = b.open("adi");
            return get(b.users.connect(again.socket, ADI, null)) instanceof Answer.Ok;
        });
    }

    @Test
    void f06_theFocusOfAKilledNodesSocketsEndsWithItsLease() {
        try (TestNode killed = TestNode.started(REDIS.url(), SLOW);
                TestNode other = TestNode.started(REDIS.url(), SLOW)) {
            ok(other.connect("adi").focus("r2"));
            for (int i = 1; i < SLOW.socketsPerUser(); i++) {
                ok(killed.connect("adi").focus("r1"));
            }
            killed.kill();
            await().atMost(LONG).until(() -> "r2".equals(active()));
            assertThat(sockets()).isEqualTo(1);
            other.connect("adi");
        }
    }

    @Test
    void f06_theFocusOfAKilledNodesSocketEndsWithItsLeaseIfNoOtherSocketFocusesARoom() {
        try (TestNode killed = TestNode.started(REDIS.url(), SLOW);
                TestNode other = TestNode.started(REDIS.url(), SLOW)) {
            other.connect("adi");
            ok(killed.connect("adi").focus("r1"));
            killed.kill();
            await().atMost(LONG).until(() -> active() == null);
            assertThat(status(other).online()).isTrue();
            await().atMost(LONG).until(() -> other.usersOnline() == 1);
        }
    }

    @Test
    void f06_aNodeThatStartsLaterKnowsWhichNodesWereKilled() {
        try (TestNode killed = TestNode.started(REDIS.url(), SLOW)) {
            for (int i = 0; i < SLOW.socketsPerUser(); i++) {
                killed.connect("adi");
            }
            killed.kill();
            await().atMost(LONG).until(() -> !REDIS.cli().sismember("hadir:{nodes}:known", killed.id));
        }
        try (TestNode later = TestNode.started(REDIS.url(), SLOW)) {
            await().atMost(LONG).until(() -> {
                TestNode.Client again = later.open("adi");
                return get(later.users.connect(again.socket, ADI, null)) instanceof Answer.Ok;
            });
            assertThat(sockets()).isEqualTo(1);
        }
    }

    @Test
    void f07_aNodeThatOnlyStoodStillHasItsSocketsBackAtOnce() {
        try (TestNode stood = TestNode.started(REDIS.url(), SLOW);
                TestNode other = TestNode.started(REDIS.url(), SLOW)) {
            ok(other.connect("adi").focus("r2"));
            ok(stood.connect("adi").focus("r1"));
            // As if it had not renewed its lease, until it is passed over.
            await().atMost(LONG).until(() -> {
                REDIS.cli().del("hadir:{nodes}:lease:" + stood.id);
                return "r2".equals(active());
            });
            await().atMost(LONG)
                    .until(() ->
                            REDIS.cli().zcard("hadir:{nodes}:gone") == 0 && "r1".equals(active()) && sockets() == 2);
            ok(other.connect("adi").focus("r3"));
            assertThat(sockets()).isEqualTo(3);
        }
    }

    @Test
    void theRoomsOfAUserAreKnownWhileTheyAreThere() {
        a.connect("adi").join("r3");
        await().during(SHORT.rooms().plusSeconds(1))
                .atMost(LONG)
                .until(() -> ok(get(b.users.rooms(ADI))).equals(List.of(new RoomId("r3"))));
    }

    @Test
    void usersOfAKilledNodeAreNotCountedForLong() {
        a.connect("adi");
        b.connect("adi");
        await().atMost(LONG).until(() -> a.usersOnline() == 1);
        a.kill();
        b.kill();
        try (TestNode c = TestNode.started(REDIS.url(), SHORT)) {
            await().atMost(LONG).until(() -> c.usersOnline() == 0);
        }
    }

    /** How many sockets of the user are recorded. */
    private static long sockets() {
        return REDIS.cli().hkeys("hadir:user:adi").stream()
                .filter(field -> !field.equals("rooms"))
                .count();
    }

    private static String active() {
        return REDIS.cli().get("user:adi:active_room");
    }

    private static UserStatus status(TestNode node) {
        return ok(get(node.users.status(List.of(ADI)))).get(0);
    }
}
