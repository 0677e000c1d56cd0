package io.hadir.server.wire;

import io.hadir.presence.room.Listing.PageStart;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The {@code nextCursor} of a list: an opaque text for clients, checked when it comes back. */
public final class Cursor {
    public static final String EXPECTED = "the nextCursor of an answer";

    private static final Pattern POSITION = Pattern.compile("(\\d{1,15}):(.+)");
    private static final Pattern PAGE = Pattern.compile("(\\d{1,15}:[^:]+)(?::(\\d{1,15}):(\\d{1,18}):(\\d{1,15}))?");
    private static final String ROOM = "room:";

    private Cursor() {}

    /** The start of a page of participants. */
    public static @Nullable String write(@Nullable PageStart start) {
        if (start == null) {
            return null;
        }
        PageStart.Count count = start.count();
        return encode(
                count == null
                        ? text(start.after())
                        : text(start.after()) + ":" + count.viewers() + ":" + count.revision() + ":"
                                + count.at().toEpochMilli());
    }

    public static Optional<PageStart> readPage(String cursor) {
        Matcher parts = PAGE.matcher(decode(cursor).orElse(""));
        if (!parts.matches()) {
            return Optional.empty();
        }
        PageStart.Count count = parts.group(2) == null
                ? null
                : new PageStart.Count(
                        Long.parseLong(parts.group(2)),
                        Long.parseLong(parts.group(3)),
                        Instant.ofEpochMilli(Long.parseLong(parts.group(4))));
        return position(parts.group(1)).map(after -> new PageStart(after, count));
    }

    /** A position in a list of bans. */
    public static @Nullable String write(@Nullable Position position) {
        return position == null ? null : encode(text(position));
    }

    public static Optional<Position> read(String cursor) {
        return position(decode(cursor).orElse(""));
    }

    private static String text(Position position) {
        return position.joinedAt().toEpochMilli() + ":" + position.user().encoded();
    }

    private static Optional<Position> position(String text) {
        Matcher parts = POSITION.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        Instant at = Instant.ofEpochMilli(Long.parseLong(parts.group(1)));
        return UserId.decode(parts.group(2)).map(user -> new Position(at, user));
    }

    /** A position in the list of rooms. */
    public static @Nullable String write(@Nullable RoomId room) {
        return room == null ? null : encode(ROOM + room.encoded());
    }

    public static Optional<RoomId> readRoom(String cursor) {
        return decode(cursor)
                .filter(text -> text.startsWith(ROOM))
                .flatMap(text -> RoomId.decode(text.substring(ROOM.length())));
    }

    private static String encode(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Optional<String> decode(String cursor) {
        try {
            return Optional.of(new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }
}
