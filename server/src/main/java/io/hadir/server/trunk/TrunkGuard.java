package io.hadir.server.trunk;

import io.hadir.server.auth.ApiKey;
import io.hadir.server.limit.AddressBuckets;
import io.hadir.socketio.http.Guard;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Refusal;
import io.hadir.socketio.limit.TokenBucket;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits apps with the trunk key. Counts and logs wrong keys; after many from one address, further ones get 429. Still
 * admits the right key from there.
 */
public final class TrunkGuard implements Guard {
    private static final Logger LOG = LoggerFactory.getLogger(TrunkGuard.class);
    private static final Refusal WRONG_KEY = new Refusal(
                    HttpResponseStatus.UNAUTHORIZED,
                    "unauthenticated",
                    "This needs the trunk key, as Authorization: Bearer.")
            .with("WWW-Authenticate", "Bearer realm=\"hadir\"");
    private static final Refusal TOO_MANY = new Refusal(
                    HttpResponseStatus.TOO_MANY_REQUESTS,
                    "rate_limited",
                    "Too many wrong trunk keys came from this address.")
            .with("Retry-After", "1")
            .with("Connection", "close");
    private static final int WRONG_KEYS_PER_SECOND = 10;
    private static final String BEARER = "bearer ";

    private volatile ApiKey key;
    private final Proxies proxies;
    private final AddressBuckets wrongKeys = new AddressBuckets(WRONG_KEYS_PER_SECOND);
    /** One line a second in the log, for all addresses together. */
    private final TokenBucket lines = new TokenBucket(1, System.nanoTime());

    private final LongAdder refusals = new LongAdder();

    /** @param proxies determines the address of a caller */
    public TrunkGuard(String key, Proxies proxies) {
        this.key = new ApiKey(key);
        this.proxies = proxies;
    }

    /** Replaces the key. Open trunks stay. */
    public void take(String other) {
        key = new ApiKey(other);
    }

    @Override
    public @Nullable Refusal refusal(HttpHeaders headers, InetSocketAddress peer) {
        List<String> given = headers.getAll(HttpHeaderNames.AUTHORIZATION);
        boolean right = given.size() == 1
                && given.get(0).regionMatches(true, 0, BEARER, 0, BEARER.length())
                && key.matches(given.get(0).substring(BEARER.length()).strip());
        if (right) {
            return null;
        }
        InetAddress client = proxies.client(headers, peer);
        long now = System.nanoTime();
        refusals.increment();
        log(client, now);
        return wrongKeys.take(client, now) ? WRONG_KEY : TOO_MANY;
    }

    private void log(InetAddress client, long now) {
        boolean due;
        synchronized (lines) {
            due = lines.take(1, now) == 0;
        }
        if (due) {
            LOG.warn("Refused a trunk from {}: its key is missing or wrong", client.getHostAddress());
        }
    }

    /** How many were refused. */
    public long refusals() {
        return refusals.sum();
    }
}
