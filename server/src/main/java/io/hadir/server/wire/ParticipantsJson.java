package io.hadir.server.wire;

import io.hadir.presence.room.Participant;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.jsontype.TypeSerializer;

/**
 * A list of participants as clients read it: {@code userId}, {@code username}, {@code joinedAt}, {@code lastActiveAt},
 * {@code state}, and the app's own {@code data} if there is any; times in epoch milliseconds. A list that is written
 * many times is encoded only for the first two. Safe for any thread.
 */
public final class ParticipantsJson extends JacksonSerializable.Base {
    private static final JsonFactory JSON = new JsonFactory();
    private static final SerializableString USER_ID = new SerializedString("userId");
    private static final SerializableString USERNAME = new SerializedString("username");
    private static final SerializableString JOINED_AT = new SerializedString("joinedAt");
    private static final SerializableString LAST_ACTIVE_AT = new SerializedString("lastActiveAt");
    private static final SerializableString STATE = new SerializedString("state");
    private static final SerializableString DATA = new SerializedString("data");

    private final List<Participant> participants;
    private volatile boolean written;
    private volatile @Nullable SerializableString text;

    private ParticipantsJson(List<Participant> participants) {
        this.participants = participants;
    }

    public static ParticipantsJson of(List<Participant> participants) {
        return new ParticipantsJson(participants);
    }

    /** The JSON of these participants: this object if it holds the same list, perhaps encoded already. */
    public ParticipantsJson orOf(List<Participant> others) {
        return participants == others ? this : of(others);
    }

    @Override
    public void serialize(JsonGenerator out, SerializationContext context) {
        SerializableString known = text;
        if (known == null && written) {
            known = encode();
            text = known;
        }
        if (known != null) {
            out.writeRawValue(known);
        } else {
            write(out);
            written = true;
        }
    }

    @Override
    public void serializeWithType(JsonGenerator out, SerializationContext context, TypeSerializer type) {
        serialize(out, context);
    }

    private SerializableString encode() {
        StringWriter target = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), target)) {
            write(out);
        }
        return new SerializedString(target.toString());
    }

    private void write(JsonGenerator out) {
        out.writeStartArray();
        for (Participant participant : participants) {
            out.writeStartObject();
            out.writeName(USER_ID);
            out.writeString(participant.user().value());
            out.writeName(USERNAME);
            out.writeString(participant.username());
            out.writeName(JOINED_AT);
            out.writeNumber(participant.joinedAt().toEpochMilli());
            out.writeName(LAST_ACTIVE_AT);
            out.writeNumber(participant.lastActiveAt().toEpochMilli());
            out.writeName(STATE);
            out.writeString(participant.state().wire());
            String data = participant.data();
            if (data != null) {
                out.writeName(DATA);
                out.writeRawValue(data);
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }
}
