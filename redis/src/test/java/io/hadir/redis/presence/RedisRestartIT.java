package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.RemovalReason;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.RedisProcess;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisRestartIT {
    @TempDir
    Path directory = Path.of("");

    @Test
    void f16_aKilledRedisThatReturnsWithItsDataRemovesNoUser() throws Exception {
        try (RedisProcess redis = new RedisProcess(directory, true);
                TestNode a = TestNode.started(redis.url());
                TestNode b = TestNode.started(redis.url())) {
            TestNode.Client adi = a.open("adi");
            TestNode.Client budi = b.open("budi");
            adi.join("r");
            budi.join("r");
            redis.kill();
            await().until(() -> !a.link.isUp() && !b.link.isUp());
            assertThat(refused(adi.heartbeat("r")).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            // Leases run out, because no node can renew them.
            await().pollDelay(TestNode.QUICK.lease()).until(() -> true);
            redis.startAgain();
            await().until(() -> a.link.isUp() && b.link.isUp());
            ok(adi.heartbeat("r"));
            get(a.sweeper.sweep());
            get(b.sweeper.sweep());
            await().pollDelay(TestNode.QUICK.lease().multipliedBy(2))
                    .untilAsserted(() -> assertThat(a.list("r")).hasSize(2));
            assertThat(adi.messages).isEmpty();
            assertThat(budi.messages).isEmpty();
            assertThat(adi.left()).isEmpty();
        }
    }

    @Test
    void f15_afterARedisThatCameBackEmptyEachSocketIsToldThatItsPresenceIsLost() throws Exception {
        try (RedisProcess redis = new RedisProcess(directory, false);
                TestNode a = TestNode.started(redis.url())) {
            TestNode.Client adi = a.open("adi");
            TestNode.Client budi = a.open("budi");
            adi.join("r");
            budi.join("r");
            redis.kill();
            await().until(() -> !a.link.isUp());
            refused(adi.heartbeat("r"));
            assertThat(adi.messages).isEmpty();
            assertThat(a.link.trouble().orElseThrow()).contains("127.0.0.1");
            redis.startAgain();
            await().until(() -> a.link.isUp());
            assertThat(refused(adi.heartbeat("r")).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
            get(a.sweeper.sweep());
            assertThat(Objects.requireNonNull(adi.forceLeave()).reason()).isEqualTo(RemovalReason.PRESENCE_LOST);
            assertThat(Objects.requireNonNull(budi.forceLeave()).reason()).isEqualTo(RemovalReason.PRESENCE_LOST);
            assertThat(a.list("r")).isEmpty();
        }
    }

    @Test
    void aNodeThatStartsBeforeItsRedisRecoversByItself() throws Exception {
        try (RedisProcess redis = new RedisProcess(directory, false)) {
            redis.kill();
            try (TestNode a = new TestNode(redis.url(), TestNode.QUICK)) {
                a.start();
                TestNode.Client adi = a.open("adi");
                assertThat(refused(get(adi.tryJoin("r"))).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
                redis.startAgain();
                await().until(() -> get(adi.tryJoin("r")) instanceof Answer.Ok);
                assertThat(a.list("r")).containsExactly("adi");
            }
        }
    }
}
