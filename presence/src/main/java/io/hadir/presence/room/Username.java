package io.hadir.presence.room;

import java.lang.Character.UnicodeScript;
import java.util.EnumSet;
import java.util.Set;

/** The name of a user for others to read: one visible line that cannot disturb the text around it. */
public final class Username {
    private static final int LONGEST = 64;
    private static final String EXPECTED = "1 to 64 characters, at least one visible, no control or format characters";

    private static final int NON_JOINER = 0x200C;
    private static final int JOINER = 0x200D;
    private static final int NONE = -1;

    /** Scripts in which a joiner changes how letters look or what they mean. */
    private static final Set<UnicodeScript> JOINING = EnumSet.of(
            UnicodeScript.ARABIC,
            UnicodeScript.SYRIAC,
            UnicodeScript.NKO,
            UnicodeScript.MANDAIC,
            UnicodeScript.MONGOLIAN,
            UnicodeScript.DEVANAGARI,
            UnicodeScript.BENGALI,
            UnicodeScript.GURMUKHI,
            UnicodeScript.GUJARATI,
            UnicodeScript.ORIYA,
            UnicodeScript.TAMIL,
            UnicodeScript.TELUGU,
            UnicodeScript.KANNADA,
            UnicodeScript.MALAYALAM,
            UnicodeScript.SINHALA,
            UnicodeScript.TIBETAN,
            UnicodeScript.MYANMAR,
            UnicodeScript.KHMER);

    private final String value;

    private Username(String value) {
        this.value = value;
    }

    public static Answer<Username> parse(String text) {
        String trimmed = text.strip();
        return isValid(trimmed.codePoints().toArray())
                ? Answer.ok(new Username(trimmed))
                : Answer.refused(PresenceError.invalid("username", EXPECTED));
    }

    /** The name of a user without one. */
    public static Username of(UserId user) {
        return new Username(user.value());
    }

    private static boolean isValid(int[] points) {
        boolean visible = false;
        for (int i = 0; i < points.length; i++) {
            int before = i == 0 ? NONE : points[i - 1];
            int after = i + 1 == points.length ? NONE : points[i + 1];
            if (!isAllowed(points[i]) && !isJoiner(before, points[i], after)) {
                return false;
            }
            visible |= isVisible(points[i]);
        }
        return visible && points.length <= LONGEST;
    }

    private static boolean isAllowed(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> !isNoncharacter(point);
        };
    }

    /** Code points that Unicode will never assign. Other unassigned ones may be emoji that are newer than this Java. */
    private static boolean isNoncharacter(int point) {
        return (point & 0xFFFE) == 0xFFFE || (point >= 0xFDD0 && point <= 0xFDEF);
    }

    /** Whether this is a joiner where one is needed: inside an emoji, or in a word of a joining script. */
    private static boolean isJoiner(int before, int point, int after) {
        if (point == JOINER && isEmoji(before) && isPictograph(after)) {
            return true;
        }
        // A joiner changes the form of a mark before it, such as a virama, also at the end of a word.
        boolean needed =
                isJoining(before) && (isJoining(after) || Character.getType(before) == Character.NON_SPACING_MARK);
        return needed && (point == JOINER || point == NON_JOINER);
    }

    private static boolean isJoining(int point) {
        return point != NONE && JOINING.contains(UnicodeScript.of(point));
    }

    /** A part of an emoji other than a joiner: a pictograph, a skin colour or a presentation selector. */
    private static boolean isEmoji(int point) {
        return isPictograph(point) || point == 0xFE0F;
    }

    /** Tests blocks, because some pictographs are newer than this Java. */
    private static boolean isPictograph(int point) {
        return (point >= 0x1F000 && point <= 0x1FAFF) || (point >= 0x2190 && point <= 0x2BFF);
    }

    private static boolean isVisible(int point) {
        return switch (Character.getType(point)) {
            case Character.SPACE_SEPARATOR, Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT ->
                false;
            case Character.UNASSIGNED -> !isNeverShown(point);
            default -> !isBlank(point);
        };
    }

    /** Letters and symbols without a shape: Hangul fillers, the empty Braille cell, a musical note without a head. */
    private static boolean isBlank(int point) {
        return switch (point) {
            case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x1D159 -> true;
            default -> false;
        };
    }

    /** Unassigned, and reserved by Unicode for characters without a shape. */
    private static boolean isNeverShown(int point) {
        return point == 0x2065 || (point >= 0xFFF0 && point <= 0xFFF8) || (point >= 0xE0000 && point <= 0xE0FFF);
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
