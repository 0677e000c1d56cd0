package io.hadir.presence.room;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The id of a room, in canonical form. */
public record RoomId(String value) {
    /** The presence keys of a room with this id would collide with those of other rooms. */
    private static final String RESERVED = "presence";

    public RoomId {
        if (!Ids.isCanonical(value) || value.equals(RESERVED)) {
            throw new IllegalArgumentException("roomId (expected: " + Ids.EXPECTED + ")");
        }
    }

    /** Reads an id from outside; {@code invalid_argument} if it is not valid. */
    public static Answer<RoomId> parse(String text) {
        return of(Ids.canonical(text))
                .map(Answer::ok)
                .orElseGet(() -> Answer.refused(PresenceError.invalid("roomId", Ids.EXPECTED)));
    }

    /** Reads an id from a part of a key; empty if it is not an encoded id. */
    public static Optional<RoomId> decode(String key) {
        return of(Ids.decode(key));
    }

    /** The form in keys. */
    public String encoded() {
        return Ids.encode(value);
    }

    private static Optional<RoomId> of(@Nullable String id) {
        return id == null || id.equals(RESERVED) ? Optional.empty() : Optional.of(new RoomId(id));
    }

    @Override
    public String toString() {
        return value;
    }
}
