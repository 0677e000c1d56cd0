package io.hadir.server.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import io.hadir.presence.room.Participant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A participant as clients read it; times in epoch milliseconds.
 *
 * @param data the app's own JSON, null if there is none
 */
public record ParticipantJson(
        String userId,
        String username,
        long joinedAt,
        long lastActiveAt,
        String state,

        @JsonRawValue @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
        String data) {
    public static ParticipantJson of(Participant participant) {
        return new ParticipantJson(
                participant.user().value(),
                participant.username(),
                participant.joinedAt().toEpochMilli(),
                participant.lastActiveAt().toEpochMilli(),
                participant.state().wire(),
                participant.data());
    }

    public static List<ParticipantJson> of(List<Participant> participants) {
        return participants.stream().map(ParticipantJson::of).toList();
    }
}
