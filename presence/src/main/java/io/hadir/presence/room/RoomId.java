package io.hadir.presence.room;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The name of a room in its canonical form. */
public record RoomId(String value) {
    /** Its presence keys would collide with those of other rooms. */
    private static final String RESERVED = "presence";

    public RoomId {
        if (!Ids.isCanonical(value) || value.equals(RESERVED)) {
            throw new IllegalArgumentException("roomId (expected: " + Ids.EXPECTED + ")");
        }
    }

    /** The room that a text names. */
    public static Answer<RoomId> parse(String text) {
        return of(Ids.canonical(text))
                .map(Answer::ok)
                .orElseGet(() -> Answer.refused(PresenceError.invalid("roomId", Ids.EXPECTED)));
    }

    /** The room that a part of a key names; empty if that is not how a room is written there. */
    public static Optional<RoomId> decode(String key) {
        return of(Ids.decode(key));
    }

    /** As it is written in keys. */
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
