package io.hadir.presence;

/** What a user is called: one line of text that cannot disturb the text around it. */
public final class Username {
    private static final int LONGEST = 64;
    private static final String EXPECTED = "1 to 64 characters, no control characters or bidirectional overrides";

    private final String value;

    private Username(String value) {
        this.value = value;
    }

    public static Answer<Username> parse(String text) {
        String trimmed = text.strip();
        int length = trimmed.codePointCount(0, trimmed.length());
        boolean valid = length >= 1 && length <= LONGEST && trimmed.codePoints().allMatch(Username::isAllowed);
        return valid ? Answer.ok(new Username(trimmed)) : Answer.refused(PresenceError.invalid("username", EXPECTED));
    }

    /** The name of a user who gave none. */
    public static Username of(UserId user) {
        return new Username(user.value());
    }

    private static boolean isAllowed(int point) {
        int type = Character.getType(point);
        boolean bidirectional = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
        return type != Character.CONTROL
                && type != Character.SURROGATE
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && !bidirectional;
    }

    public String value() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Username name && name.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value;
    }
}
