package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node with many rooms whose connection for messages is cut. */
class ManyRoomsIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final int ROOMS = Integer.getInteger("hadir.rooms", 20_000);
    private static final int AT_ONCE = 200;
    private static final PresenceSettings SETTINGS = new PresenceSettings(
            Duration.ofHours(6),
            Duration.ofSeconds(25),
            Duration.ofSeconds(15),
            Duration.ofHours(1),
            Duration.ofSeconds(6),
            1000,
            ROOMS + 100);

    @Test
    void f62_clientsAndTheLeaseAreNotHeldUpWhileItSubscribesAgain() {
        try (TestNode node = TestNode.started(REDIS.url(), SETTINGS)) {
            List<TestNode.Client> clients = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                clients.add(node.open("u" + i));
            }
            for (int room = 0; room < ROOMS; room += AT_ONCE) {
                List<CompletionStage<Answer<JoinedRoom>>> joins = new ArrayList<>();
                for (int i = 0; i < AT_ONCE; i++) {
                    joins.add(clients.get(i).tryJoin("room" + (room + i)));
                }
                for (int i = 0; i < AT_ONCE; i++) {
                    if (get(joins.get(i)) instanceof Answer.Refused) {
                        clients.get(i).join("room" + (room + i));
                    }
                }
            }
            String lease = "hadir:{nodes}:lease:" + node.id;
            long missed = REDIS.cli().incr("hadir:room:room" + (ROOMS - 1) + ":revision");
            REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
            // Each is answered within 1.7 s, or not at all.
            TestNode.Client probe = node.open("probe");
            for (int i = 0; i < 100; i++) {
                String room = "probed" + i;
                ok(get(probe.tryJoin(room)));
                ok(probe.heartbeat(room));
                ok(get(node.presence.list(new RoomId(room), null, 10)));
                assertThat(REDIS.cli().pttl(lease))
                        .isGreaterThan(SETTINGS.lease().toMillis() / 3);
            }
            TestNode.Client last = clients.get(AT_ONCE - 1);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> last.news.stream().anyMatch(news -> news.revision() == missed));
        }
    }
}
