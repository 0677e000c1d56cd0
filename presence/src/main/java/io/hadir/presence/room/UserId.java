package io.hadir.presence.room;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The name of a user in its canonical form. Users have the order in which Redis has them: by how they are written in keys. */
public record UserId(String value) implements Comparable<UserId> {
    public UserId {
        if (!Ids.isCanonical(value)) {
            throw new IllegalArgumentException("userId (expected: " + Ids.EXPECTED + ")");
        }
    }

    /** The user that a text names. */
    public static Answer<UserId> parse(String text) {
        return of(Ids.canonical(text))
                .map(Answer::ok)
                .orElseGet(() -> Answer.refused(PresenceError.invalid("userId", Ids.EXPECTED)));
    }

    /** The user that a part of a key names; empty if that is not how a user is written there. */
    public static Optional<UserId> decode(String key) {
        return of(Ids.decode(key));
    }

    /** As it is written in keys. */
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
