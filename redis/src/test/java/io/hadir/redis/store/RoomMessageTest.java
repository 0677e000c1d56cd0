package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.RoomFeed;
import io.hadir.presence.RoomFeed.ViewerCount;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What another version, or another program, may have published. */
class RoomMessageTest {
    private final List<String> heard = new ArrayList<>();

    private final RoomFeed.Listener listener = new RoomFeed.Listener() {
        @Override
        public void changed(RoomId room, RoomChange change, @Nullable ViewerCount count) {
            if (change instanceof RoomChange.Joined joined) {
                heard.add(joined.participant().username() + " came");
            } else if (change instanceof RoomChange.Updated updated) {
                heard.add(updated.user() + " is " + updated.participant().username());
            } else {
                heard.add(change.user() + " went");
            }
        }

        @Override
        public void lapsing(RoomId room, Duration in) {
            heard.add("lapsing in " + in.toMillis());
        }

        @Override
        public void rulesChanged(RoomId room, RoomSettings now) {
            heard.add("rules");
        }

        @Override
        public void raised(RoomId room, long revision) {
            heard.add("raised to " + revision);
        }

        @Override
        public void resumed(RoomId room, boolean otherRedis) {
            heard.add("resumed");
        }
    };

    @Test
    void aUserWithoutANameIsShownByTheirId() {
        tell("{\"revision\":7,\"joined\":{\"userId\":\"45\",\"joinedAt\":1,\"lastActiveAt\":1}}");
        assertThat(heard).containsExactly("45 came");
    }

    @Test
    void anUpdateHasTheEntryOfTheMessage() {
        tell("{\"revision\":8,\"updated\":{\"userId\":\"45\",\"username\":\"Adi\",\"data\":{},\"joinedAt\":1}}");
        assertThat(heard).containsExactly("45 is Adi");
    }

    @Test
    void unknownAndMalformedMessagesAreIgnored() {
        tell("{\"sung\":\"45\"}");
        tell("{\"renamed\":\"45\"}");
        tell("{\"joined\":");
        tell("{\"joined\":{\"userId\":\"\"}}");
        tell("{\"lapse\":15}");
        assertThat(heard).containsExactly("lapsing in 15");
    }

    @Test
    void aRaisedRevisionIsHeard() {
        tell("{\"revision\":9,\"raised\":true}");
        assertThat(heard).containsExactly("raised to 9");
    }

    private void tell(String message) {
        RoomMessage.tell(new RoomId("r"), message, listener);
    }
}
