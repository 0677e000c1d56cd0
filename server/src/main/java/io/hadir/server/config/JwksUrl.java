package io.hadir.server.config;

import io.hadir.redis.link.RedisUrl;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Where public keys are to be had. */
final class JwksUrl {
    private JwksUrl() {}

    static Kind<URI> kind() {
        return new Kind<>(
                "URL", "https://host/path or http://host/path, without a user", JwksUrl::parse, JwksUrl::shown);
    }

    /** Whether somebody between us and the keys could put in their own. */
    static boolean isOpenToOthers(URI url) {
        String host = url.getHost();
        boolean literal = host.startsWith("[");
        return url.getScheme().equals("http")
                && !Host.isLoopback(literal ? host.substring(1, host.length() - 1) : host);
    }

    /** The part of a URL that is surely no secret, however broken it is. */
    static String shown(String url) {
        return RedisUrl.withoutPassword(url.replaceAll("[?#].*", "?***"));
    }

    private static Optional<URI> parse(String text) {
        try {
            URI url = new URI(text);
            boolean valid = ("https".equals(url.getScheme()) || "http".equals(url.getScheme()))
                    && url.getHost() != null
                    && url.getRawUserInfo() == null
                    && url.getRawFragment() == null
                    && url.getPort() <= 65_535;
            return valid ? Optional.of(url) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }
}
