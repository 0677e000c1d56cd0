package io.hadir.redis.link;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Files for TLS to Redis, in PEM.
 *
 * @param ca who signed Redis' certificate, null for those whom Java trusts
 * @param certificate what Redis is shown, null if it asks for none
 * @param key the private key of that certificate
 */
public record RedisTls(
        @Nullable Path ca,
        @Nullable Path certificate,
        @Nullable Path key) {
    /** Nothing but what Java has. */
    public static final RedisTls NONE = new RedisTls(null, null, null);
}
