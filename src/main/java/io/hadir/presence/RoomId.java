package io.hadir.presence;

/** The name of a room in its canonical form. */
public record RoomId(String value) {
    /** Its presence keys would collide with those of other rooms. */
    private static final String RESERVED = "presence";

    public RoomId {
        if (!isValid(value)) {
            throw new IllegalArgumentException("roomId (expected: " + Ids.EXPECTED + ")");
        }
    }

    public static Answer<RoomId> parse(String text) {
        return isValid(text)
                ? Answer.ok(new RoomId(text))
                : Answer.refused(PresenceError.invalid("roomId", Ids.EXPECTED));
    }

    private static boolean isValid(String text) {
        return Ids.isValid(text) && !text.equals(RESERVED);
    }

    @Override
    public String toString() {
        return value;
    }
}
