package io.hadir.presence.room;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The id of a user, in canonical form. Ids have the same order as in Redis: that of their forms in keys. */
public record UserId(String value) implements Comparable<UserId> {
    public UserId {
        if (!Ids.isCanonical(value)) {
            throw new IllegalArgumentException("userId (expected: " + Ids.EXPECTED + ")");
        }
    }

    /** Reads an id from outside; {@code invalid_argument} if it is not valid. */
    public static Answer<UserId> parse(String text) {
        return of(Ids.canonical(text))
                .map(Answer::ok)
                .orElseGet(() -> Answer.refused(PresenceError.invalid("userId", Ids.EXPECTED)));
    }

    /** Reads an id from a part of a key; empty if it is not an encoded id. */
    public static Optional<UserId> decode(String key) {
        return of(Ids.decode(key));
    }

    /** The form in keys. */
    public String encoded() {
        return Ids.encode(value);
    }

    private static Optional<UserId> of(@Nullable String id) {
        return id == null ? Optional.empty() : Optional.of(new UserId(id));
    }

    @Override
    public int compareTo(UserId other) {
        return encoded().compareTo(other.encoded());
    }

    @Override
    public String toString() {
        return value;
    }
}
