package io.hadir.server.wire;

import io.hadir.presence.room.Participant;
import java.util.List;

/** A participant as clients read it; times in epoch milliseconds. */
public record ParticipantJson(String userId, String username, long joinedAt, long lastActiveAt) {
    public static ParticipantJson of(Participant participant) {
        return new ParticipantJson(
                participant.user().value(),
                participant.username(),
                participant.joinedAt().toEpochMilli(),
                participant.lastActiveAt().toEpochMilli());
    }

    public static List<ParticipantJson> of(List<Participant> participants) {
        return participants.stream().map(ParticipantJson::of).toList();
    }
}
