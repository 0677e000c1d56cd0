package io.hadir.server.config;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A kind of value: how its text is read, and what to say when it cannot be.
 *
 * @param label stands for the value in the help
 * @param expected completes "expected: …"
 * @param parser reads the text, empty if it is not of this kind
 * @param shown the text as it may be shown, without secrets
 */
public record Kind<T>(
        String label, String expected, Function<String, Optional<T>> parser, UnaryOperator<String> shown) {

    // No sign, no leading zero, no exponent: readers disagree on what those mean.
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,9}");

    public static <T> Kind<T> of(String label, String expected, Function<String, Optional<T>> parser) {
        return new Kind<>(label, expected, parser, UnaryOperator.identity());
    }

    static Kind<Integer> number(int least, int most) {
        return of("N", "a whole number from " + least + " to " + most, text -> whole(text, least, most));
    }

    static Kind<Duration> seconds(int least, int most) {
        return of(
                "SECONDS",
                "whole seconds from " + least + " to " + most,
                text -> whole(text, least, most).map(Duration::ofSeconds));
    }

    static Kind<Integer> bytes(int least, int most) {
        return of("BYTES", "whole bytes from " + least + " to " + most, text -> whole(text, least, most));
    }

    static Kind<Boolean> truth() {
        return of("true|false", "true or false", text -> switch (text) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        });
    }

    static Kind<String> text(int most) {
        return of(
                "TEXT",
                "1 to " + most + " characters, none of them a control character",
                text -> text.isBlank()
                                || text.codePointCount(0, text.length()) > most
                                || text.codePoints().anyMatch(Character::isISOControl)
                        ? Optional.empty()
                        : Optional.of(text));
    }

    /** Text that is never shown. */
    static Kind<String> secret(int leastBytes) {
        return new Kind<>(
                "SECRET",
                "at least " + leastBytes + " bytes, because what is shorter can be guessed",
                text -> text.getBytes(StandardCharsets.UTF_8).length < leastBytes
                        ? Optional.empty()
                        : Optional.of(text),
                text -> "***");
    }

    /** A text that is never shown, in characters that every header can carry. */
    static Kind<String> key(int least, int most) {
        return new Kind<>(
                "KEY",
                least + " to " + most + " visible ASCII characters",
                text -> text.length() >= least
                                && text.length() <= most
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

    private static Optional<Integer> whole(String text, int least, int most) {
        if (!WHOLE.matcher(text).matches()) {
            return Optional.empty();
        }
        long value = Long.parseLong(text);
        return value < least || value > most ? Optional.empty() : Optional.of((int) value);
    }
}
