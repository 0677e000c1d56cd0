package io.hadir.server.auth;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import io.hadir.server.config.AuthConfig;
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
 * Tells good tokens from bad ones. A client with a bad one does not learn why; the log says so in words of our own, at
 * most once a second for each reason, and the reasons are counted.
 */
public final class Tokens implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Tokens.class);
    private static final int LONGEST = 8_192;

    private final TokenKeys keys;
    private final Claims claims;
    private final Refusals<TokenProblem> refusals = new Refusals<>(TokenProblem.class);

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
            JWSObject token = parse(new JWSHeader(key.algorithm()).toBase64URL() + ".e30.AAAA");
            if (token != null) {
                isSigned(token);
            }
        }
    }

    /** What the token says if it is good, else empty. Completes at once unless it is signed by a key that is new. */
    public CompletionStage<Optional<Token>> check(String text) {
        JWSObject token = parse(text);
        if (token == null) {
            return refused(text.length() > LONGEST ? TokenProblem.TOO_LONG : TokenProblem.MALFORMED);
        }
        if (!isPlain(token.getHeader())) {
            return refused(TokenProblem.HEADER);
        }
        if (isSigned(token)) {
            return read(token);
        }
        if (!keys.mayHaveMore(token.getHeader()) || problem(token).isPresent()) {
            return refused(TokenProblem.SIGNATURE);
        }
        return keys.renew().thenCompose(renewed -> isSigned(token) ? read(token) : refused(TokenProblem.SIGNATURE));
    }

    private static @Nullable JWSObject parse(String text) {
        try {
            return text.length() > LONGEST ? null : JWSObject.parse(text);
        } catch (ParseException | RuntimeException malformed) {
            return null;
        }
    }

    /** Who signs a token does not choose the key that it is checked with, nor what we have to understand of it. */
    private static boolean isPlain(JWSHeader header) {
        return header.getJWK() == null
                && header.getJWKURL() == null
                && header.getX509CertURL() == null
                && header.getX509CertChain() == null
                && header.getCriticalParams() == null
                && header.isBase64URLEncodePayload();
    }

    private boolean isSigned(JWSObject token) {
        return keys.now().stream().anyMatch(key -> key.fits(token.getHeader()) && key.signed(token));
    }

    private Optional<TokenProblem> problem(JWSObject token) {
        try {
            claims.read(said(token));
            return Optional.empty();
        } catch (Claims.BadClaimException bad) {
            return Optional.of(bad.problem);
        }
    }

    private CompletionStage<Optional<Token>> read(JWSObject token) {
        try {
            return CompletableFuture.completedFuture(Optional.of(claims.read(said(token))));
        } catch (Claims.BadClaimException bad) {
            return refused(bad.problem);
        }
    }

    private static Map<String, Object> said(JWSObject token) throws Claims.BadClaimException {
        Map<String, Object> said = token.getPayload().toJSONObject();
        if (said == null) {
            throw new Claims.BadClaimException(TokenProblem.MALFORMED);
        }
        return said;
    }

    private CompletionStage<Optional<Token>> refused(TokenProblem problem) {
        refuse(problem);
        return CompletableFuture.completedFuture(Optional.empty());
    }

    /** A token is refused for a reason that does not lie in the token alone. */
    public void refuse(TokenProblem problem) {
        refusals.add(problem)
                .ifPresent(others -> log.info(
                        "A token was refused: {}; others for this reason since the last line: {}",
                        problem.words(),
                        others));
    }

    /** How many tokens were refused for this reason. */
    public long refusals(TokenProblem problem) {
        return refusals.count(problem);
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
