package io.hadir.server.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The key that backends authenticate with. Only its digest is kept. */
public final class ApiKey {
    private final byte[] digest;

    public ApiKey(String key) {
        digest = digest(key);
    }

    /** Compares in constant time, whatever the given key's length. */
    public boolean matches(String given) {
        return MessageDigest.isEqual(digest, digest(given));
    }

    private static byte[] digest(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
