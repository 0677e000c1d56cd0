package io.hadir.presence.room;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import org.jspecify.annotations.Nullable;

/**
 * The rules for room ids and user ids.
 *
 * <p>An id is readable text in Unicode NFC, so ids that look the same are the same. In keys every byte of its UTF-8
 * that is not plain becomes {@code %XX}. So no id looks like a key, a pattern or a hash tag, and two ids never share
 * a key.
 */
final class Ids {
    static final String EXPECTED = "1 to 128 letters, marks, numbers, punctuation, symbols and single spaces inside,"
            + " at most 384 bytes, not only dots, not a reserved name";

    private static final int LONGEST = 128;
    private static final int MOST_BYTES = 384;
    /** NFC composes at most four characters into one, and a character takes at most two chars. */
    private static final int LONGEST_INPUT = LONGEST * 4 * 2;

    private static final String HEX = "0123456789ABCDEF";
    private static final boolean[] PLAIN = new boolean[128];

    static {
        for (char c = 0; c < PLAIN.length; c++) {
            PLAIN[c] = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || "._~@-".indexOf(c) >= 0;
        }
    }

    private Ids() {}

    /** The canonical form of an id; null if the text is not an id. */
    static @Nullable String canonical(String text) {
        if (text.length() > LONGEST_INPUT) {
            return null;
        }
        String composed = isPlain(text) ? text : Normalizer.normalize(text, Normalizer.Form.NFC);
        return isId(composed) ? composed : null;
    }

    static boolean isCanonical(String text) {
        return text.length() <= LONGEST_INPUT
                && (isPlain(text) || Normalizer.isNormalized(text, Normalizer.Form.NFC))
                && isId(text);
    }

    /** The form of an id in keys. */
    static String encode(String id) {
        if (isPlain(id)) {
            return id;
        }
        StringBuilder key = new StringBuilder();
        for (byte b : id.getBytes(StandardCharsets.UTF_8)) {
            if (isPlain(b)) {
                key.append((char) b);
            } else {
                key.append('%').append(HEX.charAt((b >> 4) & 0xF)).append(HEX.charAt(b & 0xF));
            }
        }
        return key.toString();
    }

    /** The id in a part of a key; null if {@link #encode} cannot have written it. */
    static @Nullable String decode(String key) {
        if (key.indexOf('%') < 0) {
            return isPlain(key) && isId(key) ? key : null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(key.length());
        for (int i = 0; i < key.length(); i++) {
            if (key.charAt(i) != '%') {
                bytes.put((byte) key.charAt(i));
                continue;
            }
            int high = i + 2 < key.length() ? HEX.indexOf(key.charAt(i + 1)) : -1;
            int low = i + 2 < key.length() ? HEX.indexOf(key.charAt(i + 2)) : -1;
            if (high < 0 || low < 0) {
                return null;
            }
            bytes.put((byte) (high << 4 | low));
            i += 2;
        }
        try {
            String id = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
            return isCanonical(id) && encode(id).equals(key) ? id : null;
        } catch (CharacterCodingException notUtf8) {
            return null;
        }
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPlain(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(int c) {
        return c >= 0 && c < PLAIN.length && PLAIN[c];
    }

    private static boolean isId(String text) {
        int points = 0;
        int bytes = 0;
        boolean onlyDots = true;
        int before = ' ';
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            if (point == ' ' ? before == ' ' : !isPlain(point) && !isReadable(point)) {
                return false;
            }
            onlyDots &= point == '.';
            points++;
            bytes += utf8Length(point);
            before = point;
            i += Character.charCount(point);
        }
        return !onlyDots && before != ' ' && points <= LONGEST && bytes <= MOST_BYTES;
    }

    private static boolean isReadable(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    private static int utf8Length(int point) {
        if (point < 0x80) {
            return 1;
        }
        if (point < 0x800) {
            return 2;
        }
        return point < 0x10000 ? 3 : 4;
    }
}
