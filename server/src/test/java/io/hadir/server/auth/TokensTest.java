package io.hadir.server.auth;

import static io.hadir.server.support.TokenMint.claims;
import static io.hadir.server.support.TokenMint.hs256;
import static io.hadir.server.support.TokenMint.rs256;
import static io.hadir.server.support.TokenMint.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.server.config.Config;
import io.hadir.server.support.TokenMint;
import io.hadir.testing.Logs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(600);
    private static final Tokens BY_SECRET = tokens(TokenMint.bySecret());
    private static final Tokens BY_KEY = tokens(TokenMint.byPublicKey(null, null));

    @Test
    void aGoodTokenCarriesTheUserTheRoomsAndTheExpiry() {
        Map<String, Object> said = with(with(claims("adi", LATER), "name", " Adi "), "rooms", List.of("a", 7));

        assertThat(BY_SECRET.check(hs256(said)).toCompletableFuture().join())
                .contains(new Token(
                        new UserId("adi"),
                        name("Adi"),
                        Optional.empty(),
                        LATER,
                        Optional.of(Set.of(new RoomId("a"), new RoomId("7"))),
                        Optional.of(Set.of())));
        assertThat(check(BY_KEY, rs256(TokenMint.RSA, claims(15, LATER))))
                .contains(new Token(
                        new UserId("15"),
                        Optional.empty(),
                        Optional.empty(),
                        LATER,
                        Optional.empty(),
                        Optional.of(Set.of())));
    }

    @Test
    void aTokenSaysWhomItsUserMayWatch() {
        assertThat(watch(List.of("u1", 2, true))).contains(Set.of(new UserId("u1"), new UserId("2")));
        assertThat(watch("*")).isEmpty();
        assertThat(watch("u1")).contains(Set.of());
        assertThat(watch(List.of())).contains(Set.of());
    }

    private static Optional<Set<UserId>> watch(Object claim) {
        return check(BY_SECRET, hs256(with(claims("adi", LATER), "watch", claim)))
                .orElseThrow()
                .watch();
    }

    @Test
    void anEcKeyMeansEs256() throws Exception {
        ECKey key = new ECKeyGenerator(Curve.P_256).generate();
        Tokens tokens = tokens(new Config.Auth(null, key.toPublicKey(), null, null, null, null));
        String token = TokenMint.sign(
                new JWSHeader(JWSAlgorithm.ES256), claims("adi", LATER), new ECDSASigner(key.toECPrivateKey()));

        assertThat(check(tokens, token)).isPresent();
        assertThat(check(tokens, rs256(TokenMint.RSA, claims("adi", LATER)))).isEmpty();
        String noSignature = token.substring(0, token.lastIndexOf('.') + 1)
                + Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[64]);
        assertThat(check(tokens, noSignature)).as("a signature of zeros").isEmpty();
    }

    @Test
    void anEmptyRoomListAllowsNoRoom() {
        Token none = check(BY_SECRET, hs256(with(claims("adi", LATER), "rooms", List.of())))
                .orElseThrow();
        Token all = check(BY_SECRET, hs256(claims("adi", LATER))).orElseThrow();

        assertThat(none.allows(new RoomId("a"))).isFalse();
        assertThat(all.allows(new RoomId("a"))).isTrue();
    }

    @Test
    void anUnusableNameIsIgnored() {
        for (Object bad : new Object[] {"", "a\u202eb", "x".repeat(65), 7, List.of("a")}) {
            assertThat(check(BY_SECRET, hs256(with(claims("adi", LATER), "name", bad)))
                            .orElseThrow()
                            .name())
                    .isEmpty();
        }
    }

    @Test
    void clocksMayDifferByHalfAMinute() {
        assertThat(check(BY_SECRET, hs256(claims("adi", NOW.minusSeconds(29))))).isPresent();
        assertThat(check(BY_SECRET, hs256(claims("adi", NOW.minusSeconds(30))))).isEmpty();
        assertThat(check(BY_SECRET, hs256(notBefore(NOW.plusSeconds(30))))).isPresent();
        assertThat(check(BY_SECRET, hs256(notBefore(NOW.plusSeconds(31))))).isEmpty();
    }

    @Test
    void a28_issuerAndAudienceAreCheckedIfSet() {
        Tokens tokens = tokens(TokenMint.byPublicKey("me", "hadir"));
        Map<String, Object> mine = with(claims("adi", LATER), "iss", "me");

        assertThat(check(tokens, rs256(TokenMint.RSA, with(mine, "aud", "hadir"))))
                .isPresent();
        assertThat(check(tokens, rs256(TokenMint.RSA, with(mine, "aud", List.of("x", "hadir")))))
                .isPresent();
        for (Object wrong : new Object[] {"Hadir", List.of("x"), List.of(), 7}) {
            assertThat(check(tokens, rs256(TokenMint.RSA, with(mine, "aud", wrong))))
                    .isEmpty();
        }
        assertThat(check(tokens, rs256(TokenMint.RSA, mine))).isEmpty();
        assertThat(check(tokens, rs256(TokenMint.RSA, with(with(mine, "aud", "hadir"), "iss", "you"))))
                .isEmpty();
    }

    @Test
    void a28_expAndNbfAreNumbersOfSeconds() {
        Map<String, Object> user = Map.of("sub", "adi");
        assertThat(check(BY_SECRET, hs256(user))).as("no exp").isEmpty();
        for (Object bad :
                Arrays.asList("" + LATER.getEpochSecond(), LATER.toEpochMilli(), -1, 1e300, true, null, List.of(1))) {
            assertThat(check(BY_SECRET, hs256(with(user, "exp", bad))))
                    .as("exp %s", bad)
                    .isEmpty();
            assertThat(check(BY_SECRET, hs256(with(claims("adi", LATER), "nbf", bad))))
                    .as("nbf %s", bad)
                    .isEmpty();
        }
        assertThat(check(BY_SECRET, hs256(with(user, "exp", LATER.getEpochSecond() + 0.5))))
                .isPresent();
    }

    @Test
    void anUnusableIatCountsAsAbsent() {
        Map<String, Object> said = claims("adi", LATER);
        long now = NOW.getEpochSecond();
        assertThat(issuedAt(with(said, "iat", now - 60))).contains(NOW.minusSeconds(60));
        assertThat(issuedAt(with(said, "iat", now - 0.5))).contains(NOW.minusMillis(500));
        assertThat(issuedAt(with(said, "iat", now + 30))).contains(NOW.plusSeconds(30));
        for (Object bad : Arrays.asList(NOW.toEpochMilli(), now + 31, -1, "" + now, null)) {
            assertThat(issuedAt(with(said, "iat", bad))).as("iat %s", bad).isEmpty();
        }
    }

    private static Optional<Instant> issuedAt(Map<String, Object> said) {
        return check(BY_SECRET, hs256(said)).orElseThrow().issuedAt();
    }

    @Test
    void a28_aTokenWithTooLongALifetimeIsRefusedEvenNearItsEnd() {
        Tokens limited = tokens(new Config.Auth(TokenMint.SECRET, null, null, null, null, Duration.ofMinutes(10)));
        Map<String, Object> said = claims("adi", LATER);
        long now = NOW.getEpochSecond();
        assertThat(check(limited, hs256(with(said, "iat", now)))).isPresent();
        assertThat(check(limited, hs256(with(said, "iat", now - 1)))).isEmpty();
        assertThat(check(limited, hs256(with(claims("adi", NOW.plusSeconds(1)), "iat", now - 3600))))
                .isEmpty();
        assertThat(check(limited, hs256(said))).as("no iat").isEmpty();
        assertThat(limited.refusals(TokenProblem.LIFETIME)).isEqualTo(3);
    }

    @Test
    void refusalsAreCountedAndLoggedOncePerSecondAndReason() {
        Tokens tokens = tokens(TokenMint.bySecret());
        try (Logs logs = Logs.listen()) {
            for (int i = 0; i < 50; i++) {
                check(tokens, hs256(claims("adi", NOW.minusSeconds(60))));
                check(tokens, "x.y.z");
            }
            assertThat(tokens.refusals(TokenProblem.EXPIRED)).isEqualTo(50);
            assertThat(tokens.refusals(TokenProblem.MALFORMED)).isEqualTo(50);
            assertThat(tokens.refusals(TokenProblem.SIGNATURE)).isZero();
            assertThat(logs.all())
                    .contains("INFO A token was refused (expired): it has expired")
                    .hasSizeBetween(2, 10);
        }
    }

    @Test
    void a28_aSubThatIsNoUserIdIsRefused() {
        for (Object bad :
                Arrays.asList("", "a  b", "..", "a\u200bb", "x".repeat(129), 1.5, 1e20, true, List.of("a"), null)) {
            assertThat(check(BY_SECRET, hs256(with(claims("adi", LATER), "sub", bad))))
                    .as("sub %s", bad)
                    .isEmpty();
        }
        assertThat(check(BY_SECRET, hs256(Map.of("exp", LATER.getEpochSecond()))))
                .isEmpty();
    }

    @Test
    void idsInATokenAreNormalized() {
        Token token = check(
                        BY_SECRET,
                        hs256(with(claims("a\u0308", LATER), "rooms", List.of("u\u0308 1", "auth0|5f7c", "*"))))
                .orElseThrow();
        assertThat(token.user()).isEqualTo(new UserId("ä"));
        assertThat(token.rooms().orElseThrow())
                .containsExactlyInAnyOrder(new RoomId("ü 1"), new RoomId("auth0|5f7c"), new RoomId("*"));
    }

    @Test
    void a31_aMalformedRoomListMakesABadToken() {
        for (Object bad : Arrays.asList(
                "a",
                7,
                true,
                null,
                Map.of("a", 1),
                List.of(".."),
                List.of("a", 1.5),
                List.of(List.of("a")),
                List.of(""))) {
            assertThat(check(BY_SECRET, hs256(with(claims("adi", LATER), "rooms", bad))))
                    .as("rooms %s", bad)
                    .isEmpty();
        }
    }

    @Test
    void a28_theKeyDecidesTheAlgorithm() throws Exception {
        Map<String, Object> good = claims("adi", LATER);
        byte[] published = TokenMint.RSA.toPublicKey().getEncoded();
        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(published)
                + "\n-----END PUBLIC KEY-----\n";

        for (byte[] confused : List.of(published, pem.getBytes(StandardCharsets.UTF_8))) {
            assertThat(check(BY_KEY, TokenMint.sign(new JWSHeader(JWSAlgorithm.HS256), good, new MACSigner(confused))))
                    .isEmpty();
        }
        for (JWSAlgorithm other : List.of(JWSAlgorithm.RS384, JWSAlgorithm.RS512, JWSAlgorithm.PS256)) {
            assertThat(check(BY_KEY, TokenMint.sign(new JWSHeader(other), good, new RSASSASigner(TokenMint.RSA))))
                    .isEmpty();
        }
        assertThat(check(
                        BY_SECRET,
                        TokenMint.sign(
                                new JWSHeader(JWSAlgorithm.HS512), good, new MACSigner(TokenMint.SECRET.repeat(2)))))
                .isEmpty();
        assertThat(check(BY_SECRET, rs256(TokenMint.RSA, good))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "....",
                "a.b.c",
                "null",
                "e30.e30.",
                "eyJhbGciOiJub25lIn0.e30.",
                "eyJhbGciOiJIUzI1NiJ9..AAAA",
                "eyJhbGciOiJIUzI1NiJ9.e30.",
                "eyJhbGciOjd9.e30.AAAA",
                "W10.e30.AAAA",
                "\u0000.\u0000.\u0000",
                "%%%.%%%.%%%"
            })
    void a28_nonsenseIsRefused(String text) {
        assertThat(check(BY_SECRET, text)).isEmpty();
        assertThat(check(BY_KEY, text)).isEmpty();
    }

    @Test
    void a28_anOversizedTokenIsRefusedBeforeItIsParsed() {
        Map<String, Object> good = claims("adi", LATER);

        assertThat(check(BY_SECRET, hs256(with(good, "x", "x".repeat(5_000))))).isPresent();
        assertThat(check(BY_SECRET, hs256(with(good, "x", "x".repeat(8_192))))).isEmpty();
        assertThat(check(BY_SECRET, "[".repeat(50_000))).isEmpty();
        String deep =
                Base64.getUrlEncoder().encodeToString("{\"a\":".repeat(1_200).getBytes(StandardCharsets.UTF_8));
        assertThat(check(BY_SECRET, deep + ".e30.AAAA")).isEmpty();
    }

    private static Map<String, Object> notBefore(Instant time) {
        return with(claims("adi", LATER), "nbf", time.getEpochSecond());
    }

    private static Optional<Username> name(String text) {
        return Username.parse(text) instanceof io.hadir.presence.room.Answer.Ok<Username> ok
                ? Optional.of(ok.value())
                : Optional.empty();
    }

    private static Tokens tokens(Config.Auth config) {
        return Tokens.of(config, InstantSource.fixed(NOW));
    }

    private static Optional<Token> check(Tokens tokens, @Nullable String text) {
        return tokens.check(String.valueOf(text))
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }
}
