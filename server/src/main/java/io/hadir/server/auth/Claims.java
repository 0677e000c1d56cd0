package io.hadir.server.auth;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.server.config.Config;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks and reads a signed token's claims. A malformed claim makes the token bad. */
final class Claims {
    /** A later time was most likely written in milliseconds. */
    private static final long YEAR_10000 = 253_402_300_800L;

    private static final long LARGEST_INTEGER = (1L << 53) - 1;

    private final @Nullable String issuer;
    private final @Nullable String audience;
    private final @Nullable Duration maxLifetime;
    private final String userClaim;
    private final String nameClaim;
    private final InstantSource clock;

    Claims(Config.Auth config, InstantSource clock) {
        this.issuer = config.issuer();
        this.audience = config.audience();
        this.maxLifetime = config.maxLifetime();
        this.userClaim = config.userClaim();
        this.nameClaim = config.nameClaim();
        this.clock = clock;
    }

    /** Says what is wrong with a token. */
    static final class BadClaimException extends Exception {
        private static final long serialVersionUID = 1;

        final TokenProblem problem;

        BadClaimException(TokenProblem problem) {
            super(problem.words(), null, false, false);
            this.problem = problem;
        }
    }

    Token read(Map<String, Object> claims) throws BadClaimException {
        Instant now = clock.instant();
        Instant expiresAt = date(claims, "exp").orElseThrow(() -> new BadClaimException(TokenProblem.TIME));
        require(now.isBefore(expiresAt.plus(Config.Auth.SKEW)), TokenProblem.EXPIRED);
        Optional<Instant> notBefore = date(claims, "nbf");
        require(
                notBefore.isEmpty() || !now.plus(Config.Auth.SKEW).isBefore(notBefore.get()),
                TokenProblem.NOT_YET_VALID);
        Optional<Instant> issuedAt = issuedAt(claims.get("iat"), now);
        require(maxLifetime == null || isShort(issuedAt, expiresAt, maxLifetime), TokenProblem.LIFETIME);
        require(issuer == null || issuer.equals(claims.get("iss")), TokenProblem.ISSUER);
        require(audience == null || isFor(audience, claims.get("aud")), TokenProblem.AUDIENCE);
        UserId user = text(claims.get(userClaim))
                .flatMap(sub -> UserId.parse(sub).toOptional())
                .orElseThrow(() -> new BadClaimException(TokenProblem.USER));
        Optional<Username> name = claims.get(nameClaim) instanceof String text
                ? Username.parse(text).toOptional()
                : Optional.empty();
        return new Token(user, name, issuedAt, expiresAt, rooms(claims), watch(claims.get("watch")));
    }

    private static Optional<Set<RoomId>> rooms(Map<String, Object> claims) throws BadClaimException {
        if (!claims.containsKey("rooms")) {
            return Optional.empty();
        }
        require(claims.get("rooms") instanceof List, TokenProblem.ROOMS);
        Set<RoomId> rooms = new HashSet<>();
        for (Object item : (List<?>) claims.get("rooms")) {
            rooms.add(text(item)
                    .flatMap(id -> RoomId.parse(id).toOptional())
                    .orElseThrow(() -> new BadClaimException(TokenProblem.ROOMS)));
        }
        return Optional.of(Set.copyOf(rooms));
    }

    /** The users in a {@code watch} claim; absent for all of them. Anything that is not a user id permits nobody. */
    private static Optional<Set<UserId>> watch(@Nullable Object claim) {
        if ("*".equals(claim)) {
            return Optional.empty();
        }
        Set<UserId> users = new HashSet<>();
        if (claim instanceof List<?> list) {
            list.forEach(item ->
                    text(item).flatMap(id -> UserId.parse(id).toOptional()).ifPresent(users::add));
        }
        return Optional.of(Set.copyOf(users));
    }

    private static Optional<Instant> date(Map<String, Object> claims, String name) throws BadClaimException {
        if (!claims.containsKey(name)) {
            return Optional.empty();
        }
        Instant time = time(claims.get(name)).orElseThrow(() -> new BadClaimException(TokenProblem.TIME));
        return Optional.of(time.truncatedTo(ChronoUnit.SECONDS));
    }

    private static Optional<Instant> time(@Nullable Object value) {
        return value instanceof Number seconds && seconds.doubleValue() >= 0 && seconds.doubleValue() < YEAR_10000
                ? Optional.of(Instant.ofEpochMilli((long) (seconds.doubleValue() * 1000)))
                : Optional.empty();
    }

    /** A malformed or future {@code iat} counts as absent. */
    private static Optional<Instant> issuedAt(@Nullable Object value, Instant now) {
        return time(value).filter(at -> !at.isAfter(now.plus(Config.Auth.SKEW)));
    }

    private static boolean isShort(Optional<Instant> issuedAt, Instant expiresAt, Duration maxLifetime) {
        return issuedAt.isPresent() && !expiresAt.isAfter(issuedAt.get().plus(maxLifetime));
    }

    private static boolean isFor(String expected, @Nullable Object audiences) {
        return expected.equals(audiences) || (audiences instanceof List<?> list && list.contains(expected));
    }

    /** The value if it is a string, or an integer as a string. */
    private static Optional<String> text(@Nullable Object value) {
        if (value instanceof String string) {
            return Optional.of(string);
        }
        boolean integer = value instanceof Long number && Math.abs(number) <= LARGEST_INTEGER;
        return integer ? Optional.of(String.valueOf(value)) : Optional.empty();
    }

    private static void require(boolean condition, TokenProblem otherwise) throws BadClaimException {
        if (!condition) {
            throw new BadClaimException(otherwise);
        }
    }
}
