package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A join whose answer does not come in time: the room must not see its user come and go. */
class SlowLinkIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private FaultProxy proxy;
    private TestNode far;

    SlowLinkIT() {
        super(REDIS);
    }

    @BeforeEach
    void startFarNode() throws IOException {
        proxy = new FaultProxy(REDIS.port());
        far = TestNode.started(REDIS.url().replace(":" + REDIS.port(), ":" + proxy.port()));
    }

    @AfterEach
    void closeFarNode() throws IOException {
        far.close();
        proxy.close();
    }

    @Test
    void f55_aRetriedJoinIsAnnouncedOnceAndNoLeaveIs() {
        TestNode.Client watcher = a.open("watcher");
        watcher.join("r");
        TestNode.Client adi = far.open("adi");
        proxy.delayAnswers(Duration.ofMillis(900));
        for (int tries = 0; tries < 3; tries++) {
            get(adi.tryJoin("r"));
        }
        proxy.heal();
        await().until(() -> get(adi.tryJoin("r")) instanceof Answer.Ok);
        ok(adi.heartbeat("r"));

        await().until(() -> watcher.joined().contains("adi"));
        assertThat(watcher.joined()).containsOnlyOnce("adi");
        assertThat(watcher.left()).isEmpty();
    }

    @Test
    void aConnectionThatBreaksDuringAJoinIsNotSeenByTheRoom() throws IOException {
        TestNode.Client watcher = a.open("watcher");
        watcher.join("r");
        for (int i = 0; i < 10; i++) {
            TestNode.Client client = far.open("u" + i);
            CompletionStage<Answer<JoinedRoom>> join = client.tryJoin("r");
            proxy.reset();
            get(join);
            await().until(() -> get(client.tryJoin("r")) instanceof Answer.Ok);
        }

        await().until(() -> a.list("r").size() == 11);
        assertThat(watcher.left()).isEmpty();
    }

    @Test
    void aFailedJoinThatIsNotTriedAgainLeavesNoPresence() {
        TestNode.Client adi = far.open("adi");
        adi.join("warm");
        proxy.freezeAnswers();
        Answer<JoinedRoom> failed = get(adi.tryJoin("r"));
        assertThat(failed).isInstanceOf(Answer.Refused.class);
        proxy.heal();

        await().untilAsserted(() ->
                assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero());
        await().during(Duration.ofSeconds(1))
                .untilAsserted(() ->
                        assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero());
    }

    @Test
    void aFailedJoinOfASocketThatGoesLeavesNoPresence() {
        TestNode.Client adi = far.open("adi");
        adi.join("warm");
        proxy.freezeAnswers();
        get(adi.tryJoin("r"));
        proxy.heal();
        get(adi.close());

        await().atMost(Duration.ofSeconds(3))
                .untilAsserted(() ->
                        assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero());
    }
}
