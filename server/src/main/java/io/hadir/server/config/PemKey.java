package io.hadir.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A public key as PEM text, or in a file of it, of a kind that the algorithms of tokens know. */
final class PemKey {
    private static final Pattern PEM =
            Pattern.compile("\\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\\s]+)-----END PUBLIC KEY-----\\s*");
    private static final int LEAST_RSA_BITS = 2_048;
    private static final long LARGEST_FILE = 65_536;

    private PemKey() {}

    static Kind<PublicKey> kind() {
        return new Kind<>(
                "PEM",
                "text that begins with -----BEGIN PUBLIC KEY-----, or the path of a file with such text; RSA of at least"
                        + " 2048 bits, or EC on P-256",
                PemKey::parse,
                text -> isInline(text) ? "***" : text);
    }

    /** Inline text may be a private key that was put here by mistake, so it is not shown. */
    private static boolean isInline(String text) {
        return text.contains("-----") || text.contains("\n");
    }

    private static Optional<PublicKey> parse(String text) {
        try {
            // Files of variables cannot hold line breaks and have these two characters instead.
            String pem = isInline(text) ? text.replace("\\n", "\n") : read(Path.of(text));
            Matcher parts = PEM.matcher(pem);
            return parts.matches() ? decode(Base64.getMimeDecoder().decode(parts.group(1))) : Optional.empty();
        } catch (IOException | IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    private static String read(Path path) throws IOException {
        return Files.isRegularFile(path) && Files.size(path) <= LARGEST_FILE ? Files.readString(path) : "";
    }

    private static Optional<PublicKey> decode(byte[] bytes) {
        X509EncodedKeySpec encoded = new X509EncodedKeySpec(bytes);
        for (String algorithm : new String[] {"RSA", "EC"}) {
            try {
                PublicKey key = KeyFactory.getInstance(algorithm).generatePublic(encoded);
                return isStrong(key) ? Optional.of(key) : Optional.empty();
            } catch (GeneralSecurityException anotherKind) {
                // The next one, perhaps.
            }
        }
        return Optional.empty();
    }

    private static boolean isStrong(PublicKey key) throws GeneralSecurityException {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() >= LEAST_RSA_BITS;
        }
        AlgorithmParameters p256 = AlgorithmParameters.getInstance("EC");
        p256.init(new ECGenParameterSpec("secp256r1"));
        ECParameterSpec expected = p256.getParameterSpec(ECParameterSpec.class);
        return key instanceof ECPublicKey ec
                && ec.getParams().getCurve().equals(expected.getCurve())
                && ec.getParams().getGenerator().equals(expected.getGenerator());
    }
}
