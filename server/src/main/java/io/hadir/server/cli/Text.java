package io.hadir.server.cli;

/** Makes untrusted text safe to print on a terminal, and measures its width there. */
final class Text {
    private static final String CUT = "…";

    private Text() {}

    /** A number of things, the word in the singular if it is one. */
    static String count(long number, String word) {
        return number + " " + word + (number == 1 ? "" : "s");
    }

    /** Escapes every character that is invisible or changes how the rest is displayed. */
    static String visible(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (isVisible(c)) {
                shown.appendCodePoint(c);
            } else {
                shown.append(String.format("\\u{%x}", c));
            }
        });
        return shown.toString();
    }

    /** Escapes the same characters as JSON does, so the JSON keeps its meaning. They occur only inside strings. */
    static String visibleJson(String json) {
        StringBuilder shown = new StringBuilder(json.length());
        json.codePoints().forEach(c -> {
            if (isVisible(c)) {
                shown.appendCodePoint(c);
            } else {
                for (char half : Character.toChars(c)) {
                    shown.append(String.format("\\u%04x", (int) half));
                }
            }
        });
        return shown.toString();
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> c == 0x200d; // joins the parts of an emoji
            default -> true;
        };
    }

    /** The columns that the text takes on a terminal. */
    static int width(String text) {
        return text.codePoints().map(Text::width).sum();
    }

    private static int width(int c) {
        int type = Character.getType(c);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || c == 0x200d) {
            return 0;
        }
        boolean wide = (c >= 0x1100 && c <= 0x115f)
                || (c >= 0x2e80 && c <= 0xa4cf)
                || (c >= 0xac00 && c <= 0xd7a3)
                || (c >= 0xf900 && c <= 0xfaff)
                || (c >= 0xfe30 && c <= 0xfe6f)
                || (c >= 0xff00 && c <= 0xff60)
                || (c >= 0xffe0 && c <= 0xffe6)
                || (c >= 0x1f300 && c <= 0x1faff)
                || (c >= 0x20000 && c <= 0x3fffd);
        return wide ? 2 : 1;
    }

    /** Cuts or pads the text to this many columns. */
    static String fitted(String text, int columns) {
        String cut = cut(text, columns);
        return cut + " ".repeat(columns - width(cut));
    }

    static String cut(String text, int columns) {
        if (width(text) <= columns) {
            return text;
        }
        StringBuilder kept = new StringBuilder();
        int used = 0;
        for (int c : text.codePoints().toArray()) {
            if (used + width(c) > columns - 1) {
                break;
            }
            used += width(c);
            kept.appendCodePoint(c);
        }
        return kept + CUT;
    }
}
