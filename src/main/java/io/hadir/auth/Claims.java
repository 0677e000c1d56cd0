package io.hadir.auth;

import io.hadir.config.AuthConfig;
import io.hadir.presence.RoomId;
import io.hadir.presence.UserId;
import io.hadir.presence.Username;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a token must say to be good, besides being signed. What it says and is not understood makes it a bad one. */
final class Claims {
    /** No token is meant to live until then; whoever writes such a number has counted in milliseconds. */
    private static final long YEAR_10000 = 253_402_300_800L;

    private static final long LARGEST_INTEGER = (1L << 53) - 1;

    private final @Nullable String issuer;
    private final @Nullable String audience;
    private final InstantSource clock;

    Claims(AuthConfig config, InstantSource clock) {
        this.issuer = config.issuer();
        this.audience = config.audience();
        this.clock = clock;
    }

    /** What is wrong with a token; only ever our own words. */
    static final class BadClaimException extends Exception {
        private static final long serialVersionUID = 1;

        BadClaimException(String message) {
            super(message, null, false, false);
        }
    }

    Token read(Map<String, Object> claims) throws BadClaimException {
        Instant now = clock.instant();
        Instant expiresAt = date(claims, "exp").orElseThrow(() -> new BadClaimException("it has no exp"));
        require(now.isBefore(expiresAt.plus(Token.SKEW)), "it has run out");
        Optional<Instant> notBefore = date(claims, "nbf");
        require(notBefore.isEmpty() || !now.plus(Token.SKEW).isBefore(notBefore.get()), "it is not valid yet");
        require(issuer == null || issuer.equals(claims.get("iss")), "it is of another issuer");
        require(audience == null || isFor(audience, claims.get("aud")), "it is for another audience");
        UserId user = text(claims.get("sub"))
                .flatMap(sub -> UserId.parse(sub).toOptional())
                .orElseThrow(() -> new BadClaimException("its sub is no user id"));
        Optional<Username> name =
                claims.get("name") instanceof String text ? Username.parse(text).toOptional() : Optional.empty();
        return new Token(user, name, expiresAt, rooms(claims));
    }

    private static Optional<Set<RoomId>> rooms(Map<String, Object> claims) throws BadClaimException {
        if (!claims.containsKey("rooms")) {
            return Optional.empty();
        }
        require(claims.get("rooms") instanceof List, "its rooms are no list");
        Set<RoomId> rooms = new HashSet<>();
        for (Object item : (List<?>) claims.get("rooms")) {
            rooms.add(text(item)
                    .flatMap(id -> RoomId.parse(id).toOptional())
                    .orElseThrow(() -> new BadClaimException("one of its rooms is no room id")));
        }
        return Optional.of(Set.copyOf(rooms));
    }

    private static Optional<Instant> date(Map<String, Object> claims, String name) throws BadClaimException {
        if (!claims.containsKey(name)) {
            return Optional.empty();
        }
        boolean valid = claims.get(name) instanceof Number seconds
                && seconds.doubleValue() >= 0
                && seconds.doubleValue() < YEAR_10000;
        require(valid, "its " + name + " is no time in seconds");
        return Optional.of(Instant.ofEpochSecond(((Number) claims.get(name)).longValue()));
    }

    private static boolean isFor(String expected, @Nullable Object audiences) {
        return expected.equals(audiences) || (audiences instanceof List<?> list && list.contains(expected));
    }

    /** A string, or an integer written as one. */
    private static Optional<String> text(@Nullable Object value) {
        if (value instanceof String string) {
            return Optional.of(string);
        }
        boolean integer = value instanceof Long number && Math.abs(number) <= LARGEST_INTEGER;
        return integer ? Optional.of(String.valueOf(value)) : Optional.empty();
    }

    private static void require(boolean holds, String otherwise) throws BadClaimException {
        if (!holds) {
            throw new BadClaimException(otherwise);
        }
    }
}
