package io.hadir.redis.link;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * PEM files for TLS to Redis.
 *
 * @param ca the authorities that Redis' certificate is checked against, null for those that Java trusts
 * @param certificate Hadir's own certificate, null if Redis asks for none
 * @param key the private key of that certificate
 */
public record RedisTls(
        @Nullable Path ca,
        @Nullable Path certificate,
        @Nullable Path key) {
    /** No files: Java's own authorities, and no certificate. */
    public static final RedisTls NONE = new RedisTls(null, null, null);
}
