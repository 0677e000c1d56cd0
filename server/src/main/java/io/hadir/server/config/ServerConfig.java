package io.hadir.server.config;

import java.util.List;

/**
 * Where the server listens and whom it answers.
 *
 * @param host the address to bind, an IPv6 one without brackets
 * @param port the port to bind, 0 for any free one
 * @param allowedOrigins web origins that may connect besides the server's own, as browsers write them; {@code *} allows
 *     all
 * @param trustedProxies whose {@code X-Forwarded-For} tells where a client is
 * @param insecure whether open mode may be reached from other machines
 */
public record ServerConfig(
        String host, int port, List<String> allowedOrigins, Networks trustedProxies, boolean insecure) {
    public ServerConfig {
        allowedOrigins = List.copyOf(allowedOrigins);
    }
}
