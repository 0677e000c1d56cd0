package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedCluster;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.HistoryChart;
import io.hadir.presence.stats.HistoryLog;
import io.hadir.presence.stats.RedisStatus;
import io.hadir.presence.stats.Tally;
import io.hadir.presence.user.Delivery;
import io.hadir.presence.user.Disconnects;
import io.hadir.presence.user.Message;
import io.hadir.redis.stats.RedisHistoryLog;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What works on one Redis, on three masters. */
class ClusterIT {
    @Test
    void usersAndPresenceWorkWithTheKeysOfACluster() throws Exception {
        try (EmbeddedCluster redis = EmbeddedCluster.start();
                RedisClusterClient client = RedisClusterClient.create(
                        RedisURI.create(redis.masters().get(0).url()))) {
            RedisClusterCommands<String, String> cli = client.connect().sync();
            try (TestNode a = TestNode.started(redis.url());
                    TestNode b = TestNode.started(redis.url())) {
                UserId adi = new UserId("adi");
                TestNode.Client one = a.connect("adi");
                TestNode.Client two = b.connect("adi");
                one.join("r1");
                ok(two.focus("r2"));
                assertThat(cli.get("user:{adi}:active_room")).isEqualTo("r2");
                Message message = new Message(new RoomId("r1"), new UserId("budi"), List.of(adi), "{}");
                assertThat(ok(get(b.users.message(message)))).containsExactly(new Delivery(adi, 1, true, true));
                assertThat(cli.get("room:r1:unread:{adi}")).isEqualTo("1");
                for (TestNode.Client told : List.of(one, two)) {
                    await().until(() -> told.messages.size() == 2);
                    assertThat(told.messages)
                            .containsExactly(
                                    new SocketMessage.Unread(new RoomId("r1"), 1),
                                    new SocketMessage.Notification(new RoomId("r1"), new UserId("budi"), 1, "{}"));
                }
                assertThat(ok(get(a.users.unread(adi)))).hasSize(1);
                assertThat(ok(get(a.users.unread(adi, List.of(new RoomId("r2"), new RoomId("r1"))))))
                        .hasSize(2);
                assertThat(ok(get(b.users.rooms(adi)))).containsExactly(new RoomId("r1"));
                await().until(() -> a.usersOnline() == 1);
                operatorsSeeACluster(a);
                bansLieWithTheirRoom(a, b, cli);
                revocationsLieWithTheirUser(a, b, cli);
                get(two.close());
                assertThat(ok(get(b.users.status(List.of(adi)))).get(0).activeRoom())
                        .isEqualTo(new RoomId("r1"));
                assertThat(ok(get(a.users.unread(adi)))).isEmpty();
            }
        }
    }

    private static void bansLieWithTheirRoom(TestNode a, TestNode b, RedisClusterCommands<String, String> cli) {
        Seat seat = new Seat(new RoomId("r3"), new UserId("cici"));
        TestNode.Client cici = a.connect("cici");
        cici.join("r3");
        ok(get(b.bans.ban(seat, Duration.ofMinutes(1), null)));
        await().until(() -> cici.forceLeave() != null);
        assertThat(refused(get(b.connect("cici").tryJoin("r3"))).code()).isEqualTo(ErrorCode.BANNED);
        assertThat(cli.pttl("hadir:room:{r3}:bans:cici")).isPositive();
        assertThat(ok(get(a.bans.list(seat.room(), null, 10))).bans()).hasSize(1);
        ok(get(a.bans.unban(seat)));
        b.connect("cici").join("r3");
    }

    private static void revocationsLieWithTheirUser(TestNode a, TestNode b, RedisClusterCommands<String, String> cli) {
        UserId dewi = new UserId("dewi");
        TestNode.Client one = a.connect("dewi");
        one.join("r4");
        Disconnects disconnects = new Disconnects(b.users, b.presence, Duration.ofMinutes(1));
        Instant revoked = Objects.requireNonNull(
                ok(get(disconnects.disconnect(dewi, "Bye", true))).revoked());
        await().until(() -> one.forceLeave() != null);
        assertThat(Objects.requireNonNull(one.forceLeave()).message()).isEqualTo("Bye");
        assertThat(cli.pttl("hadir:user:{dewi}:revoked")).isPositive();
        assertThat(refused(get(a.users.connect(new SocketId(a.id + ".old"), dewi, revoked)))
                        .code())
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
        ok(get(a.users.connect(new SocketId(a.id + ".new"), dewi, revoked.plusMillis(1))));
        get(a.users.abandoned(new SocketId(a.id + ".new")));
    }

    private static void operatorsSeeACluster(TestNode node) {
        RedisStatus status = get(node.link.status());
        assertThat(status.connected()).isTrue();
        assertThat(status.mode()).isEqualTo(RedisStatus.Mode.CLUSTER);
        RedisHistoryLog log = new RedisHistoryLog(node.link);
        long minute = get(log.now()).getEpochSecond() / 60;
        Tally counts = new Tally(3, Map.of(RemovalReason.LEFT, 2L), Duration.ZERO, 0);
        get(log.add(new HistoryLog.Entry(1, counts, null), Gauges.UNKNOWN));
        assertThat(get(log.read(HistoryChart.Step.MINUTE, minute - 60, minute + 60))
                        .values())
                .singleElement()
                .satisfies(point -> {
                    assertThat(point.joins()).isEqualTo(3);
                    assertThat(point.leaves()).isEqualTo(Map.of(RemovalReason.LEFT, 2L));
                });
    }
}
