package io.hadir.presence;

/** The name of a user in its canonical form. */
public record UserId(String value) {
    public UserId {
        if (!Ids.isValid(value)) {
            throw new IllegalArgumentException("userId (expected: " + Ids.EXPECTED + ")");
        }
    }

    public static Answer<UserId> parse(String text) {
        return Ids.isValid(text)
                ? Answer.ok(new UserId(text))
                : Answer.refused(PresenceError.invalid("userId", Ids.EXPECTED));
    }

    @Override
    public String toString() {
        return value;
    }
}
