package io.hadir.server.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A key that tokens are checked with, and its one algorithm. The key decides the algorithm, never the token.
 *
 * @param id the key id that tokens name; null if any token may be signed by this key
 */
record TokenKey(@Nullable String id, JWSAlgorithm algorithm, JWSVerifier verifier) {
    private static final int MIN_RSA_BITS = 2_048;

    static TokenKey of(String secret) {
        try {
            return new TokenKey(null, JWSAlgorithm.HS256, new MACVerifier(secret));
        } catch (JOSEException e) {
            throw new IllegalArgumentException("the secret is too short for HS256");
        }
    }

    static TokenKey of(PublicKey key) {
        try {
            if (key instanceof RSAPublicKey rsa) {
                return new TokenKey(null, JWSAlgorithm.RS256, new RSASSAVerifier(rsa));
            }
            return new TokenKey(null, JWSAlgorithm.ES256, new ECDSAVerifier((ECPublicKey) key));
        } catch (JOSEException e) {
            throw new IllegalArgumentException("the key is not on P-256", e);
        }
    }

    /** A published key; empty if its type or use is not supported. A published secret is never used. */
    static Optional<TokenKey> of(JWK jwk) {
        try {
            JWSAlgorithm algorithm;
            JWSVerifier verifier;
            if (jwk instanceof RSAKey rsa && rsa.size() >= MIN_RSA_BITS) {
                algorithm = JWSAlgorithm.RS256;
                verifier = new RSASSAVerifier(rsa.toRSAPublicKey());
            } else if (jwk instanceof ECKey ec && ec.getCurve().equals(Curve.P_256)) {
                algorithm = JWSAlgorithm.ES256;
                verifier = new ECDSAVerifier(ec.toECPublicKey());
            } else {
                return Optional.empty();
            }
            boolean forSignatures = (jwk.getKeyUse() == null || jwk.getKeyUse().equals(KeyUse.SIGNATURE))
                    && (jwk.getKeyOperations() == null || jwk.getKeyOperations().contains(KeyOperation.VERIFY))
                    && (jwk.getAlgorithm() == null || jwk.getAlgorithm().equals(algorithm));
            return forSignatures ? Optional.of(new TokenKey(jwk.getKeyID(), algorithm, verifier)) : Optional.empty();
        } catch (JOSEException notAKey) {
            return Optional.empty();
        }
    }

    /** Whether a token with this header may be signed by this key. */
    boolean fits(JWSHeader header) {
        return algorithm.equals(header.getAlgorithm())
                && (id == null || header.getKeyID() == null || id.equals(header.getKeyID()));
    }

    boolean signed(JWSObject token) {
        try {
            return token.verify(verifier);
        } catch (JOSEException | RuntimeException notASignature) {
            return false;
        }
    }
}
