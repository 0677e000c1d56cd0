package io.hadir.presence;

/** What room ids and user ids have in common. */
final class Ids {
    static final String EXPECTED = "1 to 128 characters of A-Z a-z 0-9 . _ ~ @ -, not only dots, not a reserved name";

    private static final int LONGEST = 128;

    private Ids() {}

    static boolean isValid(String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            return false;
        }
        boolean onlyDots = true;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isAllowed(c)) {
                return false;
            }
            onlyDots &= c == '.';
        }
        return !onlyDots;
    }

    private static boolean isAllowed(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "._~@-".indexOf(c) >= 0;
    }
}
