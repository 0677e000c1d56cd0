package io.hadir.presence.room;

/** The rules for texts that a backend gives users to read. */
public final class Notice {
    public static final String EXPECTED = "1 to 500 characters, none of them a control character";

    private static final int LONGEST = 500;

    private Notice() {}

    public static boolean isValid(String text) {
        return !text.isBlank()
                && text.codePointCount(0, text.length()) <= LONGEST
                && text.codePoints().noneMatch(Character::isISOControl);
    }
}
