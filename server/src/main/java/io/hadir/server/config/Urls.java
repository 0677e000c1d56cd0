package io.hadir.server.config;

import io.hadir.redis.link.RedisUrl;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Settings that are URLs: of Redis, of published keys, and web origins. */
final class Urls {
    private static final int MAX_PORT = 65_535;
    private static final Pattern ORIGIN = Pattern.compile(
            "([a-z][a-z0-9+.-]*)://([a-z0-9_-]+(?:\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+])(?::([1-9][0-9]{0,4}))?");

    private Urls() {}

    /** A path with a slash at both ends; one at the end is added. */
    static Kind<String> path() {
        return Kind.of(
                "PATH",
                "a path such as /socket.io/",
                text -> text.matches("(/[A-Za-z0-9._~-]+)+/?")
                                && !text.matches("/(api|metrics|dashboard|docs|trunk|healthz|readyz)(/.*)?")
                        ? Optional.of(text.endsWith("/") ? text : text + "/")
                        : Optional.empty());
    }

    static Kind<String> redis() {
        return new Kind<>(
                "URL",
                RedisUrl.EXPECTED,
                text -> RedisUrl.isValid(text) ? Optional.of(text) : Optional.empty(),
                RedisUrl::withoutPassword);
    }

    static Kind<URI> jwks() {
        return new Kind<>("URL", "https://host/path or http://host/path, without a user", Urls::parseJwks, Urls::shown);
    }

    /** Web origins as browsers write them: lower case, and without the scheme's default port. */
    static Kind<List<String>> origins() {
        return Kind.of(
                "ORIGINS", "* or scheme://host[:port] without a path, several separated by commas", Urls::parseOrigins);
    }

    /** Whether traffic to this URL crosses a network unencrypted. */
    static boolean isPlainHttp(URI url) {
        String host = url.getHost();
        boolean literal = host.startsWith("[");
        return url.getScheme().equals("http")
                && !Host.isLoopback(literal ? host.substring(1, host.length() - 1) : host);
    }

    /** The URL without anything that may be secret, even if the URL is malformed. */
    static String shown(String url) {
        return RedisUrl.withoutPassword(url.replaceAll("[?#].*", "?***"));
    }

    private static Optional<URI> parseJwks(String text) {
        try {
            URI url = new URI(text);
            boolean valid = ("https".equals(url.getScheme()) || "http".equals(url.getScheme()))
                    && url.getHost() != null
                    && url.getRawUserInfo() == null
                    && url.getRawFragment() == null
                    && url.getPort() <= MAX_PORT;
            return valid ? Optional.of(url) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static Optional<List<String>> parseOrigins(String text) {
        List<String> origins = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            Optional<String> origin = parseOrigin(item.strip());
            if (origin.isEmpty()) {
                return Optional.empty();
            }
            origins.add(origin.get());
        }
        return Optional.of(List.copyOf(origins));
    }

    private static Optional<String> parseOrigin(String text) {
        if (text.equals("*")) {
            return Optional.of(text);
        }
        Matcher parts = ORIGIN.matcher(text.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            return Optional.empty();
        }
        String scheme = parts.group(1);
        String port = parts.group(3);
        if (port == null) {
            return Optional.of(parts.group());
        }
        if (Integer.parseInt(port) > MAX_PORT) {
            return Optional.empty();
        }
        boolean isDefault =
                (scheme.equals("http") && port.equals("80")) || (scheme.equals("https") && port.equals("443"));
        return Optional.of(isDefault ? scheme + "://" + parts.group(2) : parts.group());
    }
}
