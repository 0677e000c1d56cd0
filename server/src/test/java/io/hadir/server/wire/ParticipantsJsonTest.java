package io.hadir.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Participant;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import java.util.AbstractList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ParticipantsJsonTest {
    private static final String TEXT =
            "[{\"userId\":\"ana\",\"username\":\"Añá \\\"😀\",\"joinedAt\":1000,\"lastActiveAt\":2000,"
                    + "\"state\":\"away\",\"data\":{\"seat\":[1, 2]}}]";

    private static final Participant ANA = new Participant(
            new UserId("ana"),
            "Añá \"😀",
            Instant.ofEpochMilli(1000),
            Instant.ofEpochMilli(2000),
            Participant.State.AWAY,
            "{\"seat\":[1, 2]}",
            null);

    @Test
    void everyTimeTheSameTextIsWritten() {
        ParticipantsJson json = ParticipantsJson.of(List.of(ANA));

        for (int n = 0; n < 4; n++) {
            assertThat(JsonMapper.shared().writeValueAsString(json)).isEqualTo(TEXT);
            assertThat(JsonMapper.shared().writeValueAsBytes(List.of(json)))
                    .asString()
                    .isEqualTo("[" + TEXT + "]");
        }
    }

    @Test
    void aListThatIsWrittenOftenIsEncodedTwice() {
        int[] read = new int[1];
        List<Participant> counting = new AbstractList<>() {
            @Override
            public Participant get(int i) {
                read[0]++;
                return ANA;
            }

            @Override
            public int size() {
                return 1;
            }
        };
        ParticipantsJson json = ParticipantsJson.of(counting);

        for (int n = 0; n < 5; n++) {
            json = json.orOf(counting);
            JsonMapper.shared().writeValueAsString(json);
        }

        assertThat(read[0]).isEqualTo(2);
    }

    @Test
    void anotherListIsNeverTakenForThis() {
        ParticipantsJson json = ParticipantsJson.of(List.of(ANA));

        assertThat(JsonMapper.shared().writeValueAsString(json.orOf(List.of()))).isEqualTo("[]");
    }
}
