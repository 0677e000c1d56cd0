package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Participant;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoomListTest {
    private static Participant joined(String user, long at) {
        Instant joinedAt = Instant.ofEpochMilli(at);
        return new Participant(new UserId(user), user, joinedAt, joinedAt, Participant.State.ACTIVE, null, null);
    }

    @Test
    void aUserWhoJoinedAgainBetweenTwoStepsIsListedOnceAndLast() {
        List<Participant> found = List.of(joined("adi", 1), joined("budi", 2), joined("cici", 3), joined("adi", 4));
        assertThat(RoomList.latest(found)).containsExactly(joined("budi", 2), joined("cici", 3), joined("adi", 4));
    }
}
