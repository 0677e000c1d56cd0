package io.hadir.server.events;

import static io.hadir.server.support.TokenMint.RSA;
import static io.hadir.server.support.TokenMint.claims;
import static io.hadir.server.support.TokenMint.rs256;
import static io.hadir.server.support.TokenMint.sign;
import static io.hadir.server.support.TokenMint.with;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.server.auth.Tokens;
import io.hadir.server.support.TokenMint;
import io.hadir.testing.Logs;
import io.hadir.testing.ManualClock;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** Every kind of bad token, against a server with a public key. */
class TokenAttackIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final ManualClock CLOCK = new ManualClock();
    private static final Instant LATER = ManualClock.START.plusSeconds(600);
    private static final Map<String, Object> GOOD = with(with(claims("adi", LATER), "iss", "me"), "aud", "hadir");

    private static PresenceServer server;

    @BeforeAll
    static void start() throws IOException {
        PresenceSettings settings = new PresenceSettings(
                Duration.ofHours(6),
                Duration.ofSeconds(25),
                Duration.ofSeconds(15),
                Duration.ofSeconds(30),
                Duration.ofSeconds(15),
                1000,
                50);
        Tokens tokens = Tokens.of(TokenMint.byPublicKey("me", "hadir"), CLOCK);
        server = new PresenceServer(REDIS.url(), "n1", settings, tokens, CLOCK);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a28_everyBadTokenIsRefusedWithTheSameMessage() throws Exception {
        try (WireClient good = client(rs256(RSA, GOOD))) {
            assertThat(good.refused()).isNull();
            Set<String> refreshes = new HashSet<>();
            bad().forEach((kind, token) -> {
                try (WireClient bad = client(token)) {
                    assertThat(String.valueOf(bad.refused()))
                            .as(kind)
                            .isEqualTo("{\"message\":\"unauthenticated\",\"data\":{\"code\":\"unauthenticated\"}}");
                }
                refreshes.add(good.ask("auth:refresh", "{\"token\":\"" + token + "\"}")
                        .toString());
            });
            assertThat(refreshes).singleElement().asString().contains("\"code\":\"unauthenticated\"");
            assertThat(good.ask("join_room", "{\"roomId\":\"r\"}").at("/ok").booleanValue())
                    .isTrue();
        }
    }

    @Test
    void a32_nothingOfATokenIsInTheLog() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Logger ours = (Logger) LoggerFactory.getLogger("io.hadir");
        Level rootLevel = root.getLevel();
        Level ourLevel = ours.getLevel();
        String good = rs256(RSA, GOOD);
        Map<String, String> bad = bad();
        try (Logs logs = Logs.listen()) {
            root.setLevel(Level.TRACE);
            ours.setLevel(Level.TRACE);
            try (WireClient adi = client(good)) {
                adi.ask("auth:refresh", "{\"token\":\"" + good + "\"}");
                for (String token : bad.values()) {
                    client(token).close();
                    adi.ask("auth:refresh", "{\"token\":\"" + token + "\"}");
                }
            } finally {
                root.setLevel(rootLevel);
                ours.setLevel(ourLevel);
            }
            String log = String.join("\n", logs.all());
            assertThat(log).as("the log is captured").contains("A token was refused (expired): it has expired");
            for (String token : bad.values()) {
                assertNotIn(log, token);
            }
            assertNotIn(log, good);
        }
    }

    private static void assertNotIn(String log, String token) {
        for (String part : token.split("\\.", -1)) {
            if (part.length() > 8) {
                assertThat(log.contains(part)).as("a part of a token").isFalse();
            }
        }
    }

    private static Map<String, String> bad() throws Exception {
        RSAKey stranger = TokenMint.rsa("rsa");
        JWSHeader plain = new JWSHeader(JWSAlgorithm.RS256);
        URI elsewhere = URI.create("http://127.0.0.1:" + server.port + "/jwks.json");
        String signed = rs256(RSA, GOOD);
        String payload = signed.split("\\.", -1)[1];
        byte[] published = RSA.toPublicKey().getEncoded();

        Map<String, String> bad = new LinkedHashMap<>();
        bad.put("alg none", base64("{\"alg\":\"none\"}") + "." + payload + ".");
        bad.put("alg None", base64("{\"alg\":\"None\"}") + "." + payload + ".");
        bad.put("no alg", base64("{}") + "." + payload + "." + signed.split("\\.", -1)[2]);
        bad.put("no signature", signed.substring(0, signed.lastIndexOf('.') + 1));
        bad.put("key confusion", sign(new JWSHeader(JWSAlgorithm.HS256), GOOD, new MACSigner(published)));
        bad.put("another's key", rs256(stranger, GOOD));
        bad.put("another payload", signed.replace(payload, base64("{\"sub\":\"admin\",\"exp\":9999999999}")));
        for (RSAKey signer : List.of(stranger, RSA)) {
            String whose = signer.equals(RSA) ? " of ours" : " of a stranger";
            RSASSASigner signing = new RSASSASigner(signer);
            bad.put("jwk" + whose, sign(builder().jwk(signer.toPublicJWK()).build(), GOOD, signing));
            bad.put("jku" + whose, sign(builder().jwkURL(elsewhere).build(), GOOD, signing));
            bad.put("x5u" + whose, sign(builder().x509CertURL(elsewhere).build(), GOOD, signing));
        }
        RSASSASigner ours = new RSASSASigner(RSA);
        bad.put("crit", sign(builder().criticalParams(Set.of("exp")).build(), GOOD, ours));
        bad.put(
                "crit b64",
                sign(
                        builder()
                                .criticalParams(Set.of("b64"))
                                .base64URLEncodePayload(true)
                                .build(),
                        GOOD,
                        ours));
        bad.put("RS512", sign(new JWSHeader(JWSAlgorithm.RS512), GOOD, ours));
        bad.put("run out", sign(plain, with(GOOD, "exp", ManualClock.START.getEpochSecond() - 31), ours));
        bad.put("not yet", sign(plain, with(GOOD, "nbf", ManualClock.START.getEpochSecond() + 60), ours));
        bad.put("another audience", sign(plain, with(GOOD, "aud", "x"), ours));
        bad.put("another issuer", sign(plain, with(GOOD, "iss", "x"), ours));
        bad.put("no exp", sign(plain, Map.of("sub", "adi", "iss", "me", "aud", "hadir"), ours));
        bad.put("no sub", sign(plain, Map.of("exp", LATER.getEpochSecond(), "iss", "me", "aud", "hadir"), ours));
        bad.put("bad sub", sign(plain, with(GOOD, "sub", "a  b"), ours));
        bad.put("bad rooms", sign(plain, with(GOOD, "rooms", "*"), ours));
        bad.put("giant", sign(plain, with(GOOD, "x", "x".repeat(50_000)), ours));
        bad.put("no token", "token");
        return bad;
    }

    private static JWSHeader.Builder builder() {
        return new JWSHeader.Builder(JWSAlgorithm.RS256);
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static WireClient client(String token) {
        return new WireClient(Objects.requireNonNull(server).port, "{\"token\":\"" + token + "\"}");
    }
}
