package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A socket that is in a room joins it again. */
class RejoinIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String KEY = "room:presence:r:adi";

    RejoinIT() {
        super(REDIS);
    }

    @RepeatedTest(10)
    void aJoinAfterAnUnnoticedDeletionPutsTheUserIntoTheRoom() {
        TestNode.Client adi = a.open("adi");
        TestNode.Client budi = b.open("budi");
        budi.join("r");
        adi.join("r");
        REDIS.cli().del(KEY);
        ok(get(adi.tryJoin("r")));
        get(a.sweeper.sweep());

        assertThat(REDIS.cli().get(KEY)).isEqualTo(adi.socket.value());
        ok(adi.heartbeat("r"));
        assertThat(adi.forceLeave()).isNull();
        assertThat(adi.disconnected).isFalse();
        assertThat(b.list("r")).containsExactlyInAnyOrder("adi", "budi");
    }

    @RepeatedTest(10)
    void aConcurrentKickLeavesTheUserInTheRoomOrInformed() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        CompletionStage<Answer<JoinedRoom>> again = adi.tryJoin("r");
        get(b.presence.kick(new RoomId("r"), adi.user, null));
        Answer<JoinedRoom> joined = get(again);

        await().until(() -> (REDIS.cli().exists(KEY) == 1) == (adi.forceLeave() == null));
        if (adi.forceLeave() == null) {
            ok(joined);
            ok(adi.heartbeat("r"));
        } else {
            assertThat(Objects.requireNonNull(adi.forceLeave()).reason()).isEqualTo(RemovalReason.KICKED);
        }
    }

    @Test
    void a56_aBannedUserWhoTriesToJoinAgainHearsOfTheKick() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        REDIS.cli().set("hadir:room:r:bans:adi", "", SetArgs.Builder.px(60_000));
        assertThat(refused(get(adi.tryJoin("r"))).code()).isEqualTo(ErrorCode.BANNED);
        get(b.presence.kick(new RoomId("r"), adi.user, null));

        await().atMost(Duration.ofSeconds(5)).until(() -> adi.forceLeave() != null);
        assertThat(Objects.requireNonNull(adi.forceLeave()).reason()).isEqualTo(RemovalReason.KICKED);
    }

    @Test
    void aBanWithoutAnEndIsNone() {
        TestNode.Client adi = a.open("adi");
        REDIS.cli().set("hadir:room:r:bans:adi", "");
        adi.join("r");
        assertThat(b.list("r")).contains("adi");
    }

    @Test
    void aJoinThatALaterStepOvertookCanBeRetried() {
        TestNode.Client adi = a.open("adi");
        REDIS.cli().set("hadir:room:r:fence:" + adi.socket, "1000");

        assertThat(refused(get(adi.tryJoin("r"))).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
    }

    @Test
    void aBurstOfHeartbeatsIsAnsweredAsAWhole() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        var answers = Stream.generate(() -> a.presence.heartbeat(adi.socket, new RoomId("r"), adi.user))
                .limit(200)
                .toList();
        answers.forEach(answer -> ok(get(answer)));
    }

    @Test
    void aLeaveReachesRedisAfterTheHeartbeatsBeforeIt() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        var beat = a.presence.heartbeat(adi.socket, new RoomId("r"), adi.user);
        adi.leave("r");

        ok(get(beat));
        assertThat(REDIS.cli().exists(KEY)).isZero();
        assertThat(adi.forceLeave()).isNull();
        assertThat(refused(adi.heartbeat("r")).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
    }
}
