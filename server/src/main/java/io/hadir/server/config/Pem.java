package io.hadir.server.config;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Settings in PEM: a public key for tokens, and the paths of certificates and a private key for TLS. */
final class Pem {
    private static final Pattern PUBLIC_KEY =
            Pattern.compile("\\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\\s]+)-----END PUBLIC KEY-----\\s*");
    private static final Pattern PRIVATE_KEY =
            Pattern.compile("(?s).*-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\\s]+-----END PRIVATE KEY-----.*");
    private static final int MIN_RSA_BITS = 2_048;
    private static final long MAX_FILE_BYTES = 1_048_576;

    private Pem() {}

    /** A public key that tokens can be checked with, as text or in a file. */
    static Kind<PublicKey> publicKey() {
        return new Kind<>(
                "PEM",
                "text that begins with -----BEGIN PUBLIC KEY-----, or the path of a file with such text; RSA of at least"
                        + " 2048 bits, or EC on P-256",
                Pem::parsePublicKey,
                text -> isInline(text) ? "***" : text);
    }

    static Kind<Path> certificates() {
        return Kind.of(
                "FILE", "the path of a file with -----BEGIN CERTIFICATE-----", text -> file(text, Pem::isCertificates));
    }

    static Kind<Path> privateKey() {
        return Kind.of(
                "FILE",
                "the path of a file with -----BEGIN PRIVATE KEY-----; openssl pkcs8 -topk8 -nocrypt converts other forms",
                text -> file(text, pem -> PRIVATE_KEY.matcher(pem).matches()));
    }

    /** Inline text is never shown: it may be a private key, given by mistake. */
    private static boolean isInline(String text) {
        return text.contains("-----") || text.contains("\n");
    }

    private static Optional<PublicKey> parsePublicKey(String text) {
        try {
            // Environment files cannot hold line breaks and have these two characters instead.
            String pem = isInline(text) ? text.replace("\\n", "\n") : read(Path.of(text));
            Matcher parts = PUBLIC_KEY.matcher(pem);
            return parts.matches() ? decode(Base64.getMimeDecoder().decode(parts.group(1))) : Optional.empty();
        } catch (IOException | IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    private static Optional<PublicKey> decode(byte[] bytes) {
        X509EncodedKeySpec encoded = new X509EncodedKeySpec(bytes);
        for (String algorithm : new String[] {"RSA", "EC"}) {
            try {
                PublicKey key = KeyFactory.getInstance(algorithm).generatePublic(encoded);
                return isStrong(key) ? Optional.of(key) : Optional.empty();
            } catch (GeneralSecurityException anotherAlgorithm) {
                // The next one may fit.
            }
        }
        return Optional.empty();
    }

    private static boolean isStrong(PublicKey key) throws GeneralSecurityException {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() >= MIN_RSA_BITS;
        }
        AlgorithmParameters p256 = AlgorithmParameters.getInstance("EC");
        p256.init(new ECGenParameterSpec("secp256r1"));
        ECParameterSpec expected = p256.getParameterSpec(ECParameterSpec.class);
        return key instanceof ECPublicKey ec
                && ec.getParams().getCurve().equals(expected.getCurve())
                && ec.getParams().getGenerator().equals(expected.getGenerator());
    }

    private interface Check {
        boolean test(String pem) throws GeneralSecurityException;
    }

    private static Optional<Path> file(String text, Check check) {
        try {
            Path path = Path.of(text);
            return check.test(read(path)) ? Optional.of(path) : Optional.empty();
        } catch (IOException | GeneralSecurityException | IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    private static boolean isCertificates(String pem) throws GeneralSecurityException {
        byte[] bytes = pem.getBytes(StandardCharsets.ISO_8859_1);
        return !CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(bytes))
                .isEmpty();
    }

    /** The file's text, or nothing if it is too large or no regular file. */
    private static String read(Path path) throws IOException {
        return Files.isRegularFile(path) && Files.size(path) <= MAX_FILE_BYTES
                ? Files.readString(path, StandardCharsets.ISO_8859_1)
                : "";
    }
}
