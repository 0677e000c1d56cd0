package io.hadir.http;

import io.hadir.auth.ApiKey;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets in whoever has the API key, as {@code Authorization: Bearer} or {@code X-API-Key}.
 *
 * <p>Without a configured key it lets in programs of this machine only: the peer is loopback, no proxy has passed the
 * request on, and no web page has sent it. A page of another site could reach loopback through its visitor's browser,
 * by a request across sites or by a name of its own that resolves to 127.0.0.1, hence the look at {@code Host} and
 * {@code Origin}.
 */
public final class ApiGuard implements Guard {
    private static final Refusal NO_KEY = new Refusal(
                    HttpResponseStatus.UNAUTHORIZED,
                    "unauthenticated",
                    "This needs the API key, as Authorization: Bearer or X-API-Key.")
            .with("WWW-Authenticate", "Bearer realm=\"hadir\"");
    private static final Refusal ELSEWHERE = new Refusal(
            HttpResponseStatus.FORBIDDEN,
            "forbidden",
            "Without a configured API key this answers programs on the same machine only.");

    private static final String BEARER = "bearer ";

    /** What proxies and content networks add. */
    private static final Set<String> FORWARDING = Set.of(
            "forwarded",
            "via",
            "x-real-ip",
            "x-client-ip",
            "x-cluster-client-ip",
            "x-original-forwarded-for",
            "x-originating-ip",
            "x-remote-ip",
            "x-remote-addr",
            "x-envoy-external-address",
            "x-azure-clientip",
            "cf-connecting-ip",
            "cf-connecting-ipv6",
            "true-client-ip",
            "fastly-client-ip",
            "fly-client-ip");

    private final @Nullable ApiKey key;
    private final boolean insecure;

    /**
     * @param key null if none is configured
     * @param insecure whether everybody is let in if none is
     */
    public ApiGuard(@Nullable ApiKey key, boolean insecure) {
        this.key = key;
        this.insecure = insecure;
    }

    @Override
    public @Nullable Refusal refusal(HttpHeaders headers, InetSocketAddress peer) {
        if (key != null) {
            return hasKey(headers, key) ? null : NO_KEY;
        }
        boolean local = peer.getAddress().isLoopbackAddress() && !isForwarded(headers) && !isFromAnotherSite(headers);
        return insecure || local ? null : ELSEWHERE;
    }

    /** Whether a key is given and every one that is given is right. */
    private static boolean hasKey(HttpHeaders headers, ApiKey key) {
        List<String> given = new ArrayList<>(headers.getAll("X-API-Key"));
        for (String authorization : headers.getAll(HttpHeaderNames.AUTHORIZATION)) {
            boolean bearer = authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
            given.add(bearer ? authorization.substring(BEARER.length()).strip() : "");
        }
        return !given.isEmpty() && given.stream().allMatch(key::matches);
    }

    private static boolean isForwarded(HttpHeaders headers) {
        return headers.names().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .anyMatch(name -> FORWARDING.contains(name) || name.startsWith("x-forwarded"));
    }

    private static boolean isFromAnotherSite(HttpHeaders headers) {
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.size() != 1 || !Loopback.isName(hosts.get(0))) {
            return true;
        }
        String own = "http://" + hosts.get(0);
        return !headers.getAll(HttpHeaderNames.ORIGIN).stream().allMatch(own::equalsIgnoreCase)
                || !headers.getAll("Sec-Fetch-Site").stream().allMatch(Set.of("same-origin", "none")::contains);
    }
}
