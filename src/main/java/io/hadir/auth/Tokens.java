package io.hadir.auth;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import io.hadir.config.AuthConfig;
import java.net.URI;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells good tokens from bad ones. A bad one is bad, and whoever sent it is not told why; the log says so on its most
 * talkative level, in words of our own, and nothing of the token is in them.
 */
public final class Tokens implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Tokens.class);
    private static final int LONGEST = 8_192;

    private final TokenKeys keys;
    private final Claims claims;

    Tokens(TokenKeys keys, AuthConfig config, InstantSource clock) {
        this.keys = keys;
        this.claims = new Claims(config, clock);
        warmUp();
    }

    /** For the key that is configured; there must be one. */
    public static Tokens of(AuthConfig config, InstantSource clock) {
        String secret = config.secret();
        URI url = config.jwksUrl();
        TokenKeys keys = url != null
                ? new PublishedKeys(url, PublishedKeys.Pace.USUAL)
                : TokenKeys.fixed(
                        secret != null ? TokenKey.of(secret) : TokenKey.of(Objects.requireNonNull(config.publicKey())));
        return new Tokens(keys, config, clock);
    }

    /** Loads what the first token needs, so that the first client need not wait for it. */
    private void warmUp() {
        for (TokenKey key : keys.now()) {
            check(new JWSHeader(key.algorithm()).toBase64URL() + ".e30.AAAA");
        }
    }

    /** What the token says if it is good, else empty. Completes at once unless it is signed by a key that is new. */
    public CompletionStage<Optional<Token>> check(String text) {
        JWSObject token = parse(text);
        if (token == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        if (isSigned(token)) {
            return CompletableFuture.completedFuture(read(token));
        }
        if (!keys.mayHaveMore(token.getHeader()) || read(token).isEmpty()) {
            return CompletableFuture.completedFuture(refused("no key of ours has signed it"));
        }
        return keys.renew()
                .thenApply(renewed -> isSigned(token) ? read(token) : refused("no published key has signed it"));
    }

    private static @Nullable JWSObject parse(String text) {
        if (text.length() > LONGEST) {
            refused("it is longer than " + LONGEST + " characters");
            return null;
        }
        try {
            JWSObject token = JWSObject.parse(text);
            JWSHeader header = token.getHeader();
            // Who signs a token does not choose the key that it is checked with, nor what we have to understand of it.
            boolean plain = header.getJWK() == null
                    && header.getJWKURL() == null
                    && header.getX509CertURL() == null
                    && header.getX509CertChain() == null
                    && header.getCriticalParams() == null
                    && header.isBase64URLEncodePayload();
            if (!plain) {
                refused("its header asks for more than we do");
            }
            return plain ? token : null;
        } catch (ParseException | RuntimeException malformed) {
            refused("it is malformed");
            return null;
        }
    }

    private boolean isSigned(JWSObject token) {
        return keys.now().stream().anyMatch(key -> key.fits(token.getHeader()) && key.signed(token));
    }

    private Optional<Token> read(JWSObject token) {
        Map<String, Object> said = token.getPayload().toJSONObject();
        if (said == null) {
            return refused("it is malformed");
        }
        try {
            return Optional.of(claims.read(said));
        } catch (Claims.BadClaimException bad) {
            return refused(String.valueOf(bad.getMessage()));
        }
    }

    private static Optional<Token> refused(String why) {
        log.debug("A token was refused: {}", why);
        return Optional.empty();
    }

    /** What keeps every token from being accepted, in plain words; empty if nothing does. */
    public Optional<String> trouble() {
        return keys.trouble();
    }

    @Override
    public void close() {
        keys.close();
    }
}
