package io.hadir.server.auth;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import io.hadir.server.config.Config;
import java.net.URI;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks tokens. A client with a bad token does not learn why. Each reason is counted, and logged at most once per
 * second, without anything from the token.
 */
public final class Tokens implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tokens.class);
    private static final int MAX_LENGTH = 8_192;

    private final InstantSource clock;
    private volatile TokenKeys keys;
    private volatile Claims claims;
    private volatile boolean trunksOnly;
    private final boolean namesFromClients;
    private final Refusals<TokenProblem> refusals = new Refusals<>(TokenProblem.class);

    Tokens(TokenKeys keys, Config.Auth config, InstantSource clock) {
        this.clock = clock;
        this.keys = keys;
        this.claims = new Claims(config, clock);
        this.trunksOnly = config.trunksOnly();
        this.namesFromClients = config.namesFromClients();
        warmUp();
    }

    /** Checks with the configured key. A server that serves only trunks has none: it accepts no token. */
    public static Tokens of(Config.Auth config, InstantSource clock) {
        return new Tokens(keys(config), config, clock);
    }

    private static TokenKeys keys(Config.Auth config) {
        String secret = config.secret();
        URI url = config.jwksUrl();
        if (url != null) {
            return new PublishedKeys(url, PublishedKeys.Pace.DEFAULT);
        }
        if (config.trunksOnly()) {
            return List::of;
        }
        List<TokenKey> key =
                List.of(secret != null ? TokenKey.of(secret) : TokenKey.of(Objects.requireNonNull(config.publicKey())));
        return () -> key;
    }

    /** Uses another key and other claims from now on. Connected sockets keep their rights. */
    public void take(Config.Auth config) {
        TokenKeys former = keys;
        claims = new Claims(config, clock);
        trunksOnly = config.trunksOnly();
        keys = keys(config);
        former.close();
    }

    /** Loads the classes that the first token needs, so the first client does not wait for them. */
    private void warmUp() {
        for (TokenKey key : keys.now()) {
            JWSObject token = parse(new JWSHeader(key.algorithm()).toBase64URL() + ".e30.AAAA");
            if (token != null) {
                isSigned(token);
            }
        }
    }

    /** Whether clients choose their usernames, as without tokens. */
    public boolean letClientsChooseNames() {
        return namesFromClients;
    }

    /** The token's contents if it is good, else empty. Completes at once unless it names an unknown key. */
    public CompletionStage<Optional<Token>> check(String text) {
        JWSObject token = parse(text);
        if (token == null) {
            return refused(text.length() > MAX_LENGTH ? TokenProblem.TOO_LONG : TokenProblem.MALFORMED);
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
            return text.length() > MAX_LENGTH ? null : JWSObject.parse(text);
        } catch (ParseException | RuntimeException malformed) {
            return null;
        }
    }

    /** A token must not choose the key that it is checked with, nor require extensions. */
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
            claims.read(payload(token));
            return Optional.empty();
        } catch (Claims.BadClaimException bad) {
            return Optional.of(bad.problem);
        }
    }

    private CompletionStage<Optional<Token>> read(JWSObject token) {
        try {
            return CompletableFuture.completedFuture(Optional.of(claims.read(payload(token))));
        } catch (Claims.BadClaimException bad) {
            return refused(bad.problem);
        }
    }

    private static Map<String, Object> payload(JWSObject token) throws Claims.BadClaimException {
        Map<String, Object> claims = token.getPayload().toJSONObject();
        if (claims == null) {
            throw new Claims.BadClaimException(TokenProblem.MALFORMED);
        }
        return claims;
    }

    private CompletionStage<Optional<Token>> refused(TokenProblem problem) {
        refuse(problem);
        return CompletableFuture.completedFuture(Optional.empty());
    }

    /** Counts and logs a token that the caller refuses for a reason outside the token itself. */
    public void refuse(TokenProblem found) {
        TokenProblem problem = trunksOnly ? TokenProblem.NO_KEY : found;
        refusals.add(problem)
                .ifPresent(others -> LOG.info(
                        "A token was refused ({}): {}{}",
                        problem.wire(),
                        problem.words(),
                        Refusals.alsoInWords(others)));
    }

    /** The number of tokens refused for this reason. */
    public long refusals(TokenProblem problem) {
        return refusals.count(problem);
    }

    /** Why no token can be accepted, in plain words; empty if tokens can be. */
    public Optional<String> trouble() {
        return keys.trouble();
    }

    @Override
    public void close() {
        keys.close();
    }
}
