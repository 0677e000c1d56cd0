package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.RoomNews;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every node compares the revisions that it heard of with those that Redis has. */
class RevisionsTest extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String REVISION = "hadir:room:r:revision";

    RevisionsTest() {
        super(REDIS);
    }

    @Test
    void f54_theSweepMakesUpForALostMessage() {
        TestNode.Client adi = joined();
        // What a change leaves behind whose message was lost on the way.
        long missed = REDIS.cli().incr(REVISION);
        get(a.sweeper.sweep());

        await().until(() -> last(adi).revision() == missed);
        assertThat(last(adi).truncated()).isTrue();
    }

    @Test
    void aMessageSentDuringTheSweepArrivesWithItsNames() {
        TestNode.Client adi = joined();
        b.open("citra").join("r");
        get(a.sweeper.sweep());

        await().until(() -> adi.joined().contains("citra"));
        assertThat(adi.news).noneMatch(RoomNews::truncated);
    }

    @Test
    void aRevisionBelowOneAlreadySentIsRaisedForEveryNode() {
        TestNode.Client adi = a.open("adi");
        TestNode.Client budi = b.open("budi");
        adi.join("r");
        budi.join("r");
        await().until(() -> adi.joined().contains("budi"));
        long told = last(adi).revision();
        REDIS.cli().set(REVISION, Long.toString(told - 1));
        get(a.sweeper.sweep());

        for (TestNode.Client client : List.of(adi, budi)) {
            await().until(() -> !client.news.isEmpty() && last(client).revision() > told);
            assertThat(last(client).truncated()).isTrue();
        }
        assertThat(Long.parseLong(REDIS.cli().get(REVISION)))
                .isEqualTo(last(budi).revision());
        assertThat(REDIS.cli().pttl(REVISION)).isPositive();
    }

    @Test
    void f26_aRevisionThatIsGoneIsRaised() {
        TestNode.Client adi = joined();
        long told = last(adi).revision();
        REDIS.cli().del(REVISION);
        get(a.sweeper.sweep());

        await().until(() -> last(adi).revision() > told);
        assertThat(last(adi).truncated()).isTrue();
    }

    /** A client in the room that has heard of a later join. */
    private TestNode.Client joined() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        b.open("budi").join("r");
        await().until(() -> adi.joined().contains("budi"));
        return adi;
    }

    private static RoomNews last(TestNode.Client client) {
        return client.news.get(client.news.size() - 1);
    }
}
