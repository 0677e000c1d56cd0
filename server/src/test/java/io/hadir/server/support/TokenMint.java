package io.hadir.server.support;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import io.hadir.server.config.Config;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes valid and invalid tokens as an app's backend would. */
public final class TokenMint {
    public static final String SECRET = "a secret of the tests, of 32 bytes and more";
    public static final RSAKey RSA = rsa("rsa");

    private TokenMint() {}

    /** Checked with the secret of this class. */
    public static Config.Auth bySecret() {
        return new Config.Auth(SECRET, null, null, null, null, null);
    }

    /** Checked with the public key of this class. */
    public static Config.Auth byPublicKey(@Nullable String issuer, @Nullable String audience) {
        try {
            return new Config.Auth(null, RSA.toPublicKey(), null, issuer, audience, null);
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    public static RSAKey rsa(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    /** The claims of a user's token; a test may add to them. */
    public static Map<String, Object> claims(Object user, Instant expiresAt) {
        Map<String, Object> claims = new HashMap<>();
        claims.put("sub", user);
        claims.put("exp", expiresAt.getEpochSecond());
        return claims;
    }

    public static Map<String, Object> with(Map<String, Object> claims, String name, @Nullable Object value) {
        Map<String, Object> more = new HashMap<>(claims);
        more.put(name, value);
        return more;
    }

    /** Signs with the secret. */
    public static String hs256(Map<String, Object> claims) {
        try {
            return sign(new JWSHeader(JWSAlgorithm.HS256), claims, new MACSigner(SECRET));
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    public static String rs256(RSAKey key, Map<String, Object> claims) {
        try {
            return sign(
                    new JWSHeader.Builder(JWSAlgorithm.RS256)
                            .keyID(key.getKeyID())
                            .build(),
                    claims,
                    new RSASSASigner(key));
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    public static String sign(JWSHeader header, Map<String, Object> claims, JWSSigner signer) {
        JWSObject token = new JWSObject(header, new Payload(claims));
        try {
            token.sign(signer);
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
        return token.serialize();
    }
}
