package io.hadir.wire;

import io.hadir.presence.Answer;
import io.hadir.presence.Position;
import io.hadir.presence.UserId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A place in a room's list as clients hand it back: opaque to them, checked here. */
public final class Cursor {
    private static final Pattern FORM = Pattern.compile("(\\d{1,15}):(.{1,128})");

    private Cursor() {}

    public static @Nullable String write(@Nullable Position position) {
        if (position == null) {
            return null;
        }
        String text = position.joinedAt().toEpochMilli() + ":" + position.user();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    public static Optional<Position> read(String cursor) {
        String text;
        try {
            text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII);
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
        Matcher parts = FORM.matcher(text);
        if (!parts.matches() || !(UserId.parse(parts.group(2)) instanceof Answer.Ok<UserId> user)) {
            return Optional.empty();
        }
        return Optional.of(new Position(Instant.ofEpochMilli(Long.parseLong(parts.group(1))), user.value()));
    }
}
