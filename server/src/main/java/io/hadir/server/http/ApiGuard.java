package io.hadir.server.http;

import io.hadir.server.auth.ApiKeys;
import io.hadir.server.auth.ApiKeys.Right;
import io.hadir.server.auth.Refusals;
import io.hadir.server.limit.AddressBuckets;
import io.hadir.socketio.http.Guard;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Refusal;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits callers whose key, in {@code Authorization: Bearer} or {@code X-API-Key}, permits the call. Used as a guard
 * itself, it admits those who may read.
 *
 * <p>Without a configured key it admits only programs on this machine: the peer is loopback, no proxy forwarded the
 * request, and no web page sent it. It also checks {@code Host} and {@code Origin}, because another site's page could
 * reach loopback through its visitor's browser: by a cross-site request, or by its own name that resolves to 127.0.0.1.
 *
 * <p>It counts and logs refused calls. After many wrong keys from an address, each further one gets 429 and a closed
 * connection. It still admits the right key from there, so an attacker cannot lock out a backend behind the same
 * address.
 */
public final class ApiGuard implements Guard {
    private static final Logger LOG = LoggerFactory.getLogger(ApiGuard.class);
    private static final Refusal NO_KEY = new Refusal(
                    HttpResponseStatus.UNAUTHORIZED,
                    "unauthenticated",
                    "This needs the API key, as Authorization: Bearer or X-API-Key.")
            .with("WWW-Authenticate", "Bearer realm=\"hadir\"");
    private static final Refusal ELSEWHERE = new Refusal(
            HttpResponseStatus.FORBIDDEN,
            "forbidden",
            "Without a configured API key this answers programs on the same machine only.");

    private static final Refusal READ_ONLY =
            new Refusal(HttpResponseStatus.FORBIDDEN, "forbidden", "This key may not do that.");

    private static final Refusal TOO_MANY = new Refusal(
                    HttpResponseStatus.TOO_MANY_REQUESTS,
                    "rate_limited",
                    "Too many wrong API keys came from this address.")
            .with("Retry-After", "1")
            .with("Connection", "close");
    private static final int WRONG_KEYS_PER_SECOND = 10;

    private static final String BEARER = "bearer ";

    /** The headers that proxies and CDNs add. */
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

    /** Why a call is refused. */
    public enum Reason {
        MISSING_KEY("missing_key", "it has no key"),
        WRONG_KEY("wrong_key", "its key is wrong"),
        WEAK_KEY("weak_key", "its key may not do that"),
        MANY_WRONG_KEYS("many_wrong_keys", "its key is wrong, like many before from this address"),
        ELSEWHERE("elsewhere", "no key is configured, and the caller is not a program on this machine");

        private final String wire;
        private final String words;

        Reason(String wire, String words) {
            this.wire = wire;
            this.words = words;
        }

        /** The label of the metric. */
        public String wire() {
            return wire;
        }
    }

    private volatile ApiKeys keys;
    private final boolean insecure;
    private final Proxies proxies;
    private final Refusals<Reason> refusals = new Refusals<>(Reason.class);
    private final AddressBuckets wrongKeys = new AddressBuckets(WRONG_KEYS_PER_SECOND);

    /**
     * @param insecure whether to admit everyone if no key is configured
     * @param proxies determines the address of a caller
     */
    public ApiGuard(ApiKeys keys, boolean insecure, Proxies proxies) {
        this.keys = keys;
        this.insecure = insecure;
        this.proxies = proxies;
    }

    /** Takes other keys from now on. */
    public void take(ApiKeys others) {
        keys = others;
    }

    /** The name of the key of those who may change something, for the log. */
    String changer() {
        return keys.changer();
    }

    /** A guard that admits callers with this right. */
    public Guard with(Right right) {
        return (headers, peer) -> refusal(right, headers, peer);
    }

    @Override
    public @Nullable Refusal refusal(HttpHeaders headers, InetSocketAddress peer) {
        return refusal(Right.READ, headers, peer);
    }

    /**
     * Tells callers who may read whether they may also change something. It counts no refusal, because nothing is
     * refused.
     */
    Guard changers() {
        return (headers, peer) -> {
            ApiKeys known = keys;
            boolean may = needsKey(known, Right.CHANGE)
                    ? known.permitted(keys(headers))
                            .filter(Right.CHANGE::equals)
                            .isPresent()
                    : insecure || isLocal(headers, peer);
            return may ? null : READ_ONLY;
        };
    }

    /** Whether this needs a key. If reading needs one, so does changing, even if no configured key permits it. */
    private static boolean needsKey(ApiKeys known, Right needed) {
        return known.has(needed == Right.CHANGE ? Right.READ : needed);
    }

    private @Nullable Refusal refusal(Right needed, HttpHeaders headers, InetSocketAddress peer) {
        ApiKeys known = keys;
        InetAddress client = proxies.client(headers, peer);
        if (!needsKey(known, needed)) {
            return insecure || isLocal(headers, peer) ? null : refuse(ELSEWHERE, Reason.ELSEWHERE, client);
        }
        List<String> given = keys(headers);
        if (given.isEmpty()) {
            return refuse(NO_KEY, Reason.MISSING_KEY, client);
        }
        Optional<Right> permitted = known.permitted(given);
        if (permitted.isPresent()) {
            return permitted.get().compareTo(needed) >= 0 ? null : refuse(READ_ONLY, Reason.WEAK_KEY, client);
        }
        return wrongKeys.take(client, System.nanoTime())
                ? refuse(NO_KEY, Reason.WRONG_KEY, client)
                : refuse(TOO_MANY, Reason.MANY_WRONG_KEYS, client);
    }

    /**
     * A guard for paths that are open to everyone but tell more to callers who may use the API. It counts a refusal
     * only if the caller gave a wrong key.
     */
    public Guard insiders() {
        return (headers, peer) -> {
            boolean keyed = keys.has(Right.METRICS);
            if (keyed && !keys(headers).isEmpty()) {
                return refusal(Right.METRICS, headers, peer);
            }
            return !keyed && isLocal(headers, peer) ? null : NO_KEY;
        };
    }

    private static boolean isLocal(HttpHeaders headers, InetSocketAddress peer) {
        return peer.getAddress().isLoopbackAddress() && !isForwarded(headers) && !isFromAnotherSite(headers);
    }

    private Refusal refuse(Refusal refusal, Reason reason, InetAddress client) {
        refusals.add(reason)
                .ifPresent(others -> LOG.warn(
                        "Refused an API call from {}: {}{}",
                        client.getHostAddress(),
                        reason.words,
                        Refusals.alsoInWords(others)));
        return refusal;
    }

    /** How many calls were refused for this reason. */
    public long refusals(Reason reason) {
        return refusals.count(reason);
    }

    /** Every key in the request; all of them must be right. */
    private static List<String> keys(HttpHeaders headers) {
        List<String> given = new ArrayList<>(headers.getAll("X-API-Key"));
        for (String authorization : headers.getAll(HttpHeaderNames.AUTHORIZATION)) {
            boolean bearer = authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
            given.add(bearer ? authorization.substring(BEARER.length()).strip() : "");
        }
        return given;
    }

    private static boolean isForwarded(HttpHeaders headers) {
        return headers.names().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .anyMatch(name -> FORWARDING.contains(name) || name.startsWith("x-forwarded"));
    }

    private static boolean isFromAnotherSite(HttpHeaders headers) {
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.size() != 1 || !Origins.isLoopback(hosts.get(0))) {
            return true;
        }
        String own = "http://" + hosts.get(0);
        return !headers.getAll(HttpHeaderNames.ORIGIN).stream().allMatch(own::equalsIgnoreCase)
                || !headers.getAll("Sec-Fetch-Site").stream().allMatch(Set.of("same-origin", "none")::contains);
    }
}
