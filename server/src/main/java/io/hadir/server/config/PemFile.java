package io.hadir.server.config;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import java.util.regex.Pattern;

/** The path of a file with certificates, or with a private key, in PEM. */
final class PemFile {
    private static final Pattern KEY =
            Pattern.compile("(?s).*-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\\s]+-----END PRIVATE KEY-----.*");
    private static final long LARGEST = 1_048_576;

    private PemFile() {}

    static Kind<Path> certificates() {
        return Kind.of(
                "FILE",
                "the path of a file with -----BEGIN CERTIFICATE-----",
                text -> read(text, PemFile::isCertificates));
    }

    static Kind<Path> privateKey() {
        return Kind.of(
                "FILE",
                "the path of a file with -----BEGIN PRIVATE KEY-----, which openssl pkcs8 -topk8 -nocrypt makes of others",
                text -> read(text, pem -> KEY.matcher(pem).matches()));
    }

    private interface Check {
        boolean holds(String pem) throws GeneralSecurityException;
    }

    private static Optional<Path> read(String text, Check check) {
        try {
            Path path = Path.of(text);
            boolean good = Files.isRegularFile(path)
                    && Files.size(path) <= LARGEST
                    && check.holds(Files.readString(path, StandardCharsets.ISO_8859_1));
            return good ? Optional.of(path) : Optional.empty();
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
}
