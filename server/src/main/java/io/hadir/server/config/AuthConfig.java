package io.hadir.server.config;

import java.net.URI;
import java.security.PublicKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How users prove who they are: by tokens that one of three keys vouches for. With none of them the server is in open
 * mode.
 *
 * @param secret for HS256, shared with whoever makes the tokens
 * @param publicKey for RS256 or ES256, as its type says
 * @param jwksUrl where the public keys are, for RS256 and ES256
 * @param issuer what {@code iss} must be, null if it is not checked
 * @param audience what {@code aud} must contain, null if it is not checked
 * @param longest how long a token may live, from {@code iat} to {@code exp}, null if there is no limit
 */
public record AuthConfig(
        @Nullable String secret,
        @Nullable PublicKey publicKey,
        @Nullable URI jwksUrl,
        @Nullable String issuer,
        @Nullable String audience,
        @Nullable Duration longest) {
    /** How far our clock and that of the tokens' issuer may be apart. */
    public static final Duration SKEW = Duration.ofSeconds(30);

    /** A token's exp is before the year 10000. */
    private static final Duration FOR_GOOD = Duration.ofDays(8_000 * 366L);

    /** How long a revocation has to be kept, so that none of the tokens that it is about outlives it. */
    public Duration revocation() {
        return longest == null ? FOR_GOOD : longest.plus(SKEW);
    }

    /** Whether clients say who they are and are believed. */
    public boolean isOpen() {
        return secret == null && publicKey == null && jwksUrl == null;
    }

    /** What vouches for tokens, as it may be shown and logged. */
    public String shownKey() {
        if (jwksUrl != null) {
            return "keys from " + JwksUrl.shown(jwksUrl.toString());
        }
        return secret != null ? "a secret (HS256)" : publicKey != null ? "a public key" : "no key";
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "AuthConfig[" + shownKey() + ", issuer=" + issuer + ", audience=" + audience + "]";
    }
}
