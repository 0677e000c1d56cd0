package io.hadir.server.config;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A kind of value: how to parse its text, and what to say if that fails.
 *
 * @param label stands for the value in the help
 * @param expected completes "expected: …"
 * @param parser empty if the text is not of this kind
 * @param shown removes secrets from the text
 */
record Kind<T>(String label, String expected, Function<String, Optional<T>> parser, UnaryOperator<String> shown) {

    // No sign, no leading zero, no exponent: readers disagree on what those mean.
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,9}");

    private static final Pattern PERCENT = Pattern.compile("(0|[1-9][0-9]{0,2})(\\.[0-9]{1,3})?");

    static <T> Kind<T> of(String label, String expected, Function<String, Optional<T>> parser) {
        return new Kind<>(label, expected, parser, UnaryOperator.identity());
    }

    static Kind<Integer> number(int min, int max) {
        return of("N", "a whole number from " + min + " to " + max, text -> whole(text, min, max));
    }

    static Kind<Double> percent() {
        return of(
                "PERCENT",
                "a number above 0 and up to 100",
                text -> Optional.of(text)
                        .filter(written -> PERCENT.matcher(written).matches())
                        .map(Double::valueOf)
                        .filter(value -> value > 0 && value <= 100));
    }

    static Kind<Duration> seconds(int min, int max) {
        return of(
                "SECONDS",
                "whole seconds from " + min + " to " + max,
                text -> whole(text, min, max).map(Duration::ofSeconds));
    }

    static Kind<Integer> bytes(int min, int max) {
        return of("BYTES", "whole bytes from " + min + " to " + max, text -> whole(text, min, max));
    }

    static Kind<Boolean> truth() {
        return of("true|false", "true or false", text -> switch (text) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        });
    }

    static Kind<String> text(int max) {
        return of(
                "TEXT",
                "1 to " + max + " characters, none of them a control character",
                text -> text.isBlank()
                                || text.codePointCount(0, text.length()) > max
                                || text.codePoints().anyMatch(Character::isISOControl)
                        ? Optional.empty()
                        : Optional.of(text));
    }

    /** Text that is never shown. */
    static Kind<String> secret(int minBytes) {
        return new Kind<>(
                "SECRET",
                "at least " + minBytes + " bytes, because a shorter one can be guessed",
                text -> text.getBytes(StandardCharsets.UTF_8).length < minBytes ? Optional.empty() : Optional.of(text),
                text -> "***");
    }

    /** Text that is never shown, in characters that an HTTP header can carry. */
    static Kind<String> key(int min, int max) {
        return new Kind<>(
                "KEY",
                min + " to " + max + " visible ASCII characters",
                text -> text.length() >= min
                                && text.length() <= max
                                && text.chars().allMatch(c -> c > ' ' && c < 0x7f)
                        ? Optional.of(text)
                        : Optional.empty(),
                text -> "***");
    }

    static Kind<String> oneOf(String... words) {
        List<String> known = List.of(words);
        return of(
                String.join("|", known),
                "one of " + String.join(", ", known),
                text -> known.contains(text) ? Optional.of(text) : Optional.empty());
    }

    private static Optional<Integer> whole(String text, int min, int max) {
        if (!WHOLE.matcher(text).matches()) {
            return Optional.empty();
        }
        long value = Long.parseLong(text);
        return value < min || value > max ? Optional.empty() : Optional.of((int) value);
    }
}
