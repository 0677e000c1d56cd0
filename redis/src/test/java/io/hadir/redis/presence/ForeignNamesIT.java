package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RoomId;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.KillArgs;
import io.lettuce.core.SetArgs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Names that change behind the back of a node are listed all the same. */
class ForeignNamesIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final RoomId ROOM = new RoomId("r");

    ForeignNamesIT() {
        super(REDIS);
    }

    @Test
    void aNameThatAnotherProgramChangedIsListedAfterASweep() {
        a.open("adi").join("r");
        assertThat(names(a)).containsExactly("adi");
        String details = REDIS.cli().get("room:r:user:adi");
        String renamed = details.replace("\"username\":\"adi\"", "\"username\":\"Adi!\"");
        REDIS.cli().set("room:r:user:adi", renamed, SetArgs.Builder.ex(60));
        get(a.sweeper.sweep());
        assertThat(names(a)).containsExactly("Adi!");
    }

    @Test
    void aNameChangedDuringALostFeedIsListedWhenTheFeedResumes() {
        TestNode.Client budi = b.open("budi");
        budi.join("r");
        a.open("dewi").join("r");
        assertThat(names(a)).containsExactly("budi", "dewi");
        REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
        budi.join("r", "Budi!");
        await().untilAsserted(() -> assertThat(names(a)).containsExactly("Budi!", "dewi"));
    }

    @Test
    void aPresenceRewrittenByAnotherProgramIsListedWithoutNews() {
        TestNode.Client budi = b.open("budi");
        budi.join("r");
        String socket = REDIS.cli().get("room:presence:r:budi");
        REDIS.cli().del("room:presence:r:budi");
        a.open("dewi").join("r");
        assertThat(names(a)).containsExactly("dewi");
        REDIS.cli().set("room:presence:r:budi", socket, SetArgs.Builder.ex(60));
        assertThat(names(a)).containsExactly("budi", "dewi");
        assertThat(names(a.open("eka").join("r").listing())).containsExactly("budi", "dewi", "eka");
    }

    private static List<String> names(TestNode node) {
        return names(ok(get(node.presence.list(ROOM, null, 100))));
    }

    private static List<String> names(Listing listing) {
        return listing.page().participants().stream().map(Participant::username).toList();
    }
}
