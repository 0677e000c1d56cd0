package io.hadir.server.auth;

import static io.hadir.server.support.TokenMint.claims;
import static io.hadir.server.support.TokenMint.rs256;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.hadir.server.config.Config;
import io.hadir.server.support.TokenMint;
import io.hadir.testing.Logs;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PublishedKeysTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(3_600);
    private static final RSAKey OLD = TokenMint.rsa("old");
    private static final RSAKey NEW = TokenMint.rsa("new");

    /** One fetch within the time of a test. */
    private static final PublishedKeys.Pace ONCE =
            new PublishedKeys.Pace(Duration.ofHours(1), Duration.ofHours(1), Duration.ofSeconds(20));

    /** Frequent fetches, also after failures. */
    private static final PublishedKeys.Pace OFTEN =
            new PublishedKeys.Pace(Duration.ofMillis(20), Duration.ofMillis(40), Duration.ofSeconds(20));

    /** After the first success, fetches only for unknown keys. */
    private static final PublishedKeys.Pace WHEN_ASKED =
            new PublishedKeys.Pace(Duration.ofMillis(1), Duration.ofHours(1), Duration.ofSeconds(20));

    private final List<Tokens> made = new ArrayList<>();
    private final Logs logs = Logs.listen();
    private JwksEndpoint endpoint;

    @BeforeEach
    void start() throws Exception {
        endpoint = new JwksEndpoint();
        endpoint.publish(OLD);
    }

    @AfterEach
    void stop() {
        made.forEach(Tokens::close);
        endpoint.close();
        logs.close();
    }

    @Test
    void theFirstTokensWaitForTheFirstKeys() {
        endpoint.hold();
        Tokens tokens = tokens(ONCE);
        CompletableFuture<Boolean> first = isGood(tokens, token(OLD));
        CompletableFuture<Boolean> second = isGood(tokens, token(OLD));
        assertThat(first).isNotDone();
        endpoint.release();

        assertThat(join(first)).isTrue();
        assertThat(join(second)).isTrue();
        assertThat(endpoint.requests()).isEqualTo(1);
    }

    @Test
    void f49_untilTheFirstKeysArriveTheTroubleIsReported() {
        endpoint.answer(500, "");
        Tokens tokens = tokens(OFTEN);
        await().untilAsserted(() -> assertThat(tokens.trouble())
                .hasValue("There are no keys from the JWKS URL to check tokens with: the answer has the status 500"));
        endpoint.publish(OLD);
        await().untilAsserted(() -> assertThat(tokens.trouble()).isEmpty());
        endpoint.stop();
        assertThat(tokens.trouble()).isEmpty();
    }

    @Test
    void f49_aNewKeyIsFetchedWhenATokenNamesIt() {
        Tokens tokens = tokens(WHEN_ASKED);
        awaitGood(tokens, OLD);
        endpoint.publish(OLD, NEW);

        awaitGood(tokens, NEW);
        int requests = endpoint.requests();
        assertThat(join(isGood(tokens, token(OLD)))).isTrue();
        assertThat(join(isGood(tokens, token(NEW)))).isTrue();
        assertThat(endpoint.requests()).as("known keys need no fetch").isEqualTo(requests);
    }

    @Test
    void f49_manyTokensWithUnknownKeysCauseOneFetch() {
        Tokens tokens = tokens(ONCE);
        assertThat(join(isGood(tokens, token(OLD)))).isTrue();
        for (int i = 0; i < 200; i++) {
            assertThat(join(isGood(tokens, rs256(rename(NEW, "k" + i), claims("adi", LATER)))))
                    .isFalse();
        }
        assertThat(endpoint.requests()).isEqualTo(1);
    }

    @Test
    void f49_aTokenThatIsBadInAnyCaseCausesNoFetch() throws Exception {
        Tokens tokens = tokens(WHEN_ASKED);
        awaitGood(tokens, OLD);
        int requests = endpoint.requests();
        Instant longAgo = NOW.minusSeconds(3_600);
        String forged = token(NEW).replaceFirst("\\.[^.]*$", ".AAAA");
        RSAKey impostor = rename(NEW, "old");

        assertThat(join(isGood(tokens, rs256(NEW, claims("adi", longAgo))))).isFalse();
        assertThat(join(isGood(tokens, token(impostor)))).as("a known name").isFalse();
        assertThat(join(isGood(
                        tokens,
                        TokenMint.sign(
                                new JWSHeader.Builder(JWSAlgorithm.HS256)
                                        .keyID("x")
                                        .build(),
                                claims("adi", LATER),
                                new MACSigner(TokenMint.SECRET)))))
                .isFalse();
        assertThat(endpoint.requests()).isEqualTo(requests);
        assertThat(join(isGood(tokens, forged))).isFalse();
    }

    @Test
    void f49_whenTheEndpointIsDownTheKnownKeysStayInUse() {
        Tokens tokens = tokens(OFTEN);
        awaitGood(tokens, OLD);
        for (Runnable trouble : List.<Runnable>of(
                () -> endpoint.answer(503, "down"),
                () -> endpoint.answer(200, "garbage"),
                () -> endpoint.answer(200, "{}"),
                () -> endpoint.answer(200, "{\"keys\":7}"),
                () -> endpoint.answer(200, ""),
                () -> endpoint.answer(200, "x".repeat(200_000)),
                endpoint::hangUp,
                () -> endpoint.redirect("/elsewhere"),
                endpoint::stop)) {
            trouble.run();
            int before = endpoint.requests();
            if (endpoint.isUp()) {
                await().until(() -> endpoint.requests() > before + 1);
            }
            assertThat(join(isGood(tokens, token(OLD)))).isTrue();
            assertThat(join(isGood(tokens, token(NEW)))).isFalse();
        }
        assertThat(endpoint.strays()).as("redirects are not followed").isZero();
        assertThat(logs.troubles())
                .as("an outage is logged once")
                .hasSize(1)
                .allSatisfy(line -> assertThat(line).contains("the known keys stay in use"));
    }

    @Test
    void f49_withoutAnEndpointAtTheStartTokensAreRefusedUntilItIsUp() {
        endpoint.hangUp();
        Tokens tokens = tokens(OFTEN);
        assertThat(join(isGood(tokens, token(OLD)))).isFalse();
        endpoint.publish(OLD);

        awaitGood(tokens, OLD);
        assertThat(logs.troubles()).singleElement().asString().contains("every token is refused until there are keys");
        assertThat(logs.all()).anySatisfy(line -> assertThat(line).contains("Tokens are checked with 1 keys"));
    }

    @Test
    void f49_aSlowEndpointTimesOutAndDoesNotDelayKnownKeys() {
        Tokens tokens =
                tokens(new PublishedKeys.Pace(Duration.ofMillis(1), Duration.ofHours(1), Duration.ofMillis(500)));
        awaitGood(tokens, OLD);
        endpoint.hold();
        endpoint.publish(OLD, NEW);

        CompletableFuture<Boolean> waiting = isGood(tokens, token(NEW));
        assertThat(isGood(tokens, token(OLD))).as("does not wait").isCompletedWithValue(true);
        assertThat(join(waiting)).isFalse();
        endpoint.release();
        awaitGood(tokens, NEW);
    }

    @Test
    void f49_anAnswerThatNeverEndsTimesOut() {
        Tokens tokens =
                tokens(new PublishedKeys.Pace(Duration.ofMillis(1), Duration.ofHours(1), Duration.ofMillis(500)));
        awaitGood(tokens, OLD);
        endpoint.publish(OLD, NEW);
        endpoint.drip(true);

        assertThat(join(isGood(tokens, token(NEW)))).isFalse();
        endpoint.drip(false);
        awaitGood(tokens, NEW);
        assertThat(logs.troubles()).singleElement().asString().contains("no answer in time");
    }

    @Test
    void aWithdrawnKeyStopsWorking() {
        Tokens tokens = tokens(OFTEN);
        awaitGood(tokens, OLD);
        endpoint.publish(NEW);
        await().until(() -> !join(isGood(tokens, token(OLD))));
        endpoint.answer(200, "{\"keys\":[]}");
        await().until(() -> !join(isGood(tokens, token(NEW))));
    }

    @Test
    void a28_onlyRs256AndEs256SignatureKeysAreUsed() throws Exception {
        ECKey p256 = new ECKeyGenerator(Curve.P_256).keyID("p256").generate();
        ECKey p384 = new ECKeyGenerator(Curve.P_384).keyID("p384").generate();
        OctetSequenceKey secret = new OctetSequenceKey.Builder(TokenMint.SECRET.getBytes(StandardCharsets.UTF_8))
                .keyID("oct")
                .algorithm(JWSAlgorithm.HS256)
                .build();
        RSAKey encrypting = new RSAKey.Builder(NEW).keyUse(KeyUse.ENCRYPTION).build();
        endpoint.publishAll(List.of(p256, p384, secret, encrypting, OLD));
        Tokens tokens = tokens(ONCE);
        Map<String, Object> good = claims("adi", LATER);

        assertThat(join(isGood(
                        tokens, TokenMint.sign(header(JWSAlgorithm.ES256, "p256"), good, new ECDSASigner(p256)))))
                .isTrue();
        assertThat(join(isGood(tokens, TokenMint.sign(new JWSHeader(JWSAlgorithm.RS256), good, new RSASSASigner(OLD)))))
                .as("a token that names no key")
                .isTrue();
        for (String bad : List.of(
                TokenMint.sign(header(JWSAlgorithm.ES384, "p384"), good, new ECDSASigner(p384)),
                TokenMint.sign(header(JWSAlgorithm.HS256, "oct"), good, new MACSigner(TokenMint.SECRET)),
                TokenMint.sign(header(JWSAlgorithm.RS512, "old"), good, new RSASSASigner(OLD)),
                TokenMint.sign(
                        header(JWSAlgorithm.HS256, "old"),
                        good,
                        new MACSigner(OLD.toPublicKey().getEncoded())),
                token(NEW))) {
            assertThat(join(isGood(tokens, bad))).isFalse();
        }
    }

    @Test
    void a28_aTokenCannotNameItsOwnKey() throws Exception {
        Tokens tokens = tokens(WHEN_ASKED);
        awaitGood(tokens, OLD);
        JWSHeader.Builder header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("new");
        URI elsewhere = URI.create(endpoint.url() + "/elsewhere");
        endpoint.publishElsewhere(NEW);

        for (JWSHeader asking : List.of(
                header.jwkURL(elsewhere).build(),
                new JWSHeader.Builder(header.build()).x509CertURL(elsewhere).build(),
                new JWSHeader.Builder(header.build()).jwk(NEW.toPublicJWK()).build())) {
            assertThat(join(isGood(tokens, TokenMint.sign(asking, claims("adi", LATER), new RSASSASigner(NEW)))))
                    .isFalse();
        }
        assertThat(endpoint.strays()).isZero();
    }

    private Tokens tokens(PublishedKeys.Pace pace) {
        Config.Auth config = new Config.Auth(null, null, endpoint.url(), null, null, null);
        Tokens tokens = new Tokens(new PublishedKeys(endpoint.url(), pace), config, InstantSource.fixed(NOW));
        made.add(tokens);
        return tokens;
    }

    private static void awaitGood(Tokens tokens, RSAKey key) {
        await().until(() -> join(isGood(tokens, token(key))));
    }

    private static CompletableFuture<Boolean> isGood(Tokens tokens, String token) {
        return tokens.check(token).thenApply(checked -> checked.isPresent()).toCompletableFuture();
    }

    private static boolean join(CompletableFuture<Boolean> answer) {
        return answer.copy().orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static String token(RSAKey key) {
        return rs256(key, claims("adi", LATER));
    }

    private static RSAKey rename(RSAKey key, String id) {
        return new RSAKey.Builder(key).keyID(id).build();
    }

    private static JWSHeader header(JWSAlgorithm algorithm, String id) {
        return new JWSHeader.Builder(algorithm).keyID(id).build();
    }

    static String json(List<? extends JWK> keys) {
        // With the private parts, as a careless issuer might publish them.
        return new JWKSet(List.copyOf(keys)).toString(false);
    }
}
