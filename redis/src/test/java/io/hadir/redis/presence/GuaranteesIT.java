package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.RoomId;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The guarantees of docs/understand/guarantees.md, one by one. */
class GuaranteesIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    GuaranteesIT() {
        super(REDIS);
    }

    @Test
    void g1_theLiveKeyAloneDecidesWhateverDetailsHintsAndSocketsSay() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        assertThat(b.list("r")).containsExactly("adi");
        REDIS.cli().del("room:presence:r:adi");
        // Socket, details and index still speak for the user.
        assertThat(REDIS.cli().exists("room:r:user:adi", "hadir:room:r:index")).isEqualTo(2);
        assertThat(a.list("r")).isEmpty();
        assertThat(b.list("r")).isEmpty();
        assertThat(refused(adi.heartbeat("r")).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
    }

    @Test
    void g1_theSweepListsALivePresenceAgainEvenIfEveryHintWasLost() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        REDIS.cli().del("room:r:user:adi", "hadir:room:r:index", "hadir:room:r:revision");
        get(a.sweeper.sweep());
        assertThat(b.list("r")).containsExactly("adi");
        ok(adi.heartbeat("r"));
        assertThat(adi.forceLeave()).isNull();
    }

    @Test
    void g2_countAndListAreTheLiveKeysInTheVeryNextAnswerOnEveryNode() {
        for (int i = 0; i < 10; i++) {
            (i % 2 == 0 ? a : b).open("u" + i).join("r");
        }
        for (int i = 0; i < 10; i++) {
            REDIS.cli().del("room:presence:r:u" + i);
            for (TestNode node : List.of(a, b)) {
                assertThat(ok(get(node.presence.list(new RoomId("r"), null, 1))).viewerCount())
                        .isEqualTo(9L - i);
                assertThat(node.list("r")).hasSize(9 - i).doesNotContain("u" + i);
            }
        }
    }

    @Test
    void g4_theGraceIsATtlInRedisSoThatItEndsEvenIfEveryServerDies() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        get(adi.close());
        assertThat(REDIS.cli().pttl("room:presence:r:adi"))
                .isBetween(0L, TestNode.QUICK.grace().toMillis());
        a.kill();
        b.kill();
        await().until(() -> REDIS.cli().exists("room:presence:r:adi") == 0);
    }

    @Test
    void g5_nothingIsRestoredFromWhatIsLeftWhenTheKeysAreGone() {
        TestNode.Client adi = a.openAuthenticated("adi");
        adi.join("r");
        REDIS.cli().del("room:presence:r:adi");
        get(a.sweeper.sweep());
        assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero();
        REDIS.cli().flushall();
        get(a.sweeper.sweep());
        get(b.sweeper.sweep());
        assertThat(REDIS.cli().keys("room:*")).isEmpty();
        assertThat(b.list("r")).isEmpty();
    }
}
