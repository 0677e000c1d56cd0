package io.hadir.server.auth;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetParseException;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.URLBasedJWKSetSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.ResourceRetriever;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URL;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a JWKS endpoint. They are fetched at the start, at a fixed interval, and when a token names an unknown
 * key. At most one fetch is under way, and the next one waits for a pause, however many tokens ask. If the endpoint
 * fails, the last keys stay in use.
 *
 * <p>Nimbus fetches and parses, on threads of this class. Its own cache, rate limit and outage tolerance do not fit.
 * Its callers block during a fetch, but here event loops check tokens. Its rate limit lets two fetches through instead
 * of one. It counts keys kept through an outage as fetched, so it would ask a recovered endpoint only after the full
 * interval.
 */
final class PublishedKeys implements TokenKeys {
    private static final Logger LOG = LoggerFactory.getLogger(PublishedKeys.class);
    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);
    private static final Pattern STATUS = Pattern.compile("HTTP (?:response code: )?([0-9]{3})");
    private static final int MAX_KEYS = 100;
    private static final int MAX_BYTES = 131_072;

    /** Enough to try again while earlier fetches hang: Nimbus limits the time of a read, not of a whole fetch. */
    private static final int THREADS = 4;

    /**
     * How often keys are fetched.
     *
     * @param pause the least time between two fetches, also after a failure
     * @param every the longest time that fetched keys are used before the next fetch, so a withdrawn key stops working
     * @param timeout for a whole fetch
     */
    record Pace(Duration pause, Duration every, Duration timeout) {
        static final Pace DEFAULT = new Pace(Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofSeconds(4));
    }

    private final JWKSetSource<SecurityContext> endpoint;
    private final String shownUrl;
    private final Pace pace;
    private final ScheduledThreadPoolExecutor threads;
    private volatile List<TokenKey> keys = List.of();
    private volatile String whyNoKeys = "they are being fetched";
    private long begunAt;
    private long fetchedAt;
    private boolean everBegun;
    private boolean failing = true;
    private boolean warned;
    private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

    PublishedKeys(URI url, Pace pace) {
        this.pace = pace;
        this.shownUrl = url.getScheme() + "://" + url.getAuthority() + url.getPath();
        threads = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = new Thread(task, "hadir-jwks");
            thread.setDaemon(true);
            return thread;
        });
        threads.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        try {
            endpoint = new URLBasedJWKSetSource<>(url.toURL(), retriever(pace.timeout()));
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException("the JWKS URL is not a URL", e);
        }
        long pause = pace.pause().toMillis();
        long jitter = ThreadLocalRandom.current().nextLong(pause / 4 + 1);
        threads.scheduleWithFixedDelay(this::renewIfDue, 0, pause + jitter, TimeUnit.MILLISECONDS);
    }

    private static ResourceRetriever retriever(Duration timeout) {
        int millis = (int) timeout.toMillis();
        DefaultResourceRetriever retriever = new DefaultResourceRetriever(millis, millis, MAX_BYTES) {
            @Override
            protected HttpURLConnection openHTTPConnection(URL url) throws IOException {
                HttpURLConnection connection = super.openHTTPConnection(url);
                connection.setInstanceFollowRedirects(false);
                return connection;
            }
        };
        retriever.setHeaders(Map.of("Accept", List.of("application/jwk-set+json, application/json")));
        return retriever;
    }

    @Override
    public List<TokenKey> now() {
        return keys;
    }

    /**
     * Fetches only if the token names an unknown key or none: if it names a known key that did not sign it, it is bad.
     */
    @Override
    public boolean mayHaveMore(JWSHeader header) {
        String id = header.getKeyID();
        return ALGORITHMS.contains(header.getAlgorithm())
                && (id == null || keys.stream().noneMatch(key -> id.equals(key.id())));
    }

    private synchronized void renewIfDue() {
        if (failing || System.nanoTime() - fetchedAt >= pace.every().toNanos()) {
            renew();
        }
    }

    @Override
    public synchronized CompletionStage<Void> renew() {
        long now = System.nanoTime();
        if (underWay.isDone() && (!everBegun || now - begunAt >= pace.pause().toNanos())) {
            everBegun = true;
            begunAt = now;
            underWay = CompletableFuture.supplyAsync(this::fetch, threads)
                    .orTimeout(pace.timeout().toMillis(), TimeUnit.MILLISECONDS)
                    .handle((published, failure) -> {
                        if (failure == null) {
                            succeeded(published);
                        } else {
                            failed(failure);
                        }
                        return null;
                    });
        }
        return underWay;
    }

    private List<TokenKey> fetch() {
        try {
            return endpoint
                    .getJWKSet(JWKSetCacheRefreshEvaluator.forceRefresh(), System.currentTimeMillis(), null)
                    .getKeys()
                    .stream()
                    .limit(MAX_KEYS)
                    .flatMap(jwk -> TokenKey.of(jwk).stream())
                    .toList();
        } catch (KeySourceException failure) {
            throw new CompletionException(failure);
        }
    }

    private synchronized void succeeded(List<TokenKey> published) {
        if (published.isEmpty()) {
            whyNoKeys = "none of the published keys can be used";
            LOG.warn("No key at {} can be used: expected RS256 with at least 2048 bits, or ES256", shownUrl);
        } else if (failing) {
            LOG.info("Tokens are checked with {} keys from {}", published.size(), shownUrl);
        }
        keys = published;
        fetchedAt = System.nanoTime();
        failing = false;
        warned = false;
    }

    private synchronized void failed(Throwable failure) {
        whyNoKeys = reason(failure);
        if (!warned && !threads.isShutdown()) {
            LOG.warn(
                    "No keys from {}: {}; {}",
                    shownUrl,
                    whyNoKeys,
                    keys.isEmpty() ? "every token is refused until there are keys" : "the known keys stay in use");
        }
        failing = true;
        warned = true;
    }

    /** Our own words, never the endpoint's. */
    private static String reason(Throwable failure) {
        List<Throwable> causes =
                Stream.iterate(failure, Objects::nonNull, Throwable::getCause).toList();
        if (causes.stream().anyMatch(cause -> cause instanceof JWKSetParseException)) {
            return "the answer is not a set of keys";
        }
        Throwable root = causes.get(causes.size() - 1);
        if (root instanceof TimeoutException || root instanceof SocketTimeoutException) {
            return "no answer in time";
        }
        if (root instanceof ConnectException) {
            return "nothing listens there";
        }
        if (root instanceof FileNotFoundException) {
            return "the answer has the status 404";
        }
        Matcher status = STATUS.matcher(String.valueOf(root.getMessage()));
        return status.find()
                ? "the answer has the status " + status.group(1)
                : "no answer of at most " + MAX_BYTES + " bytes ("
                        + root.getClass().getSimpleName() + ")";
    }

    /** Leaves out the URL, which is not public. */
    @Override
    public Optional<String> trouble() {
        return keys.isEmpty()
                ? Optional.of("There are no keys from the JWKS URL to check tokens with: " + whyNoKeys)
                : Optional.empty();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
