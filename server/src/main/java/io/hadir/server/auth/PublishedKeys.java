package io.hadir.server.auth;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.JWKSet;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a JWKS endpoint. They are fetched at the start, from time to time, and when a token names one that is not
 * known; never more than one fetch at a time, and never again before a pause is over, however many tokens ask for it. If
 * the endpoint is down or answers nonsense, the keys that it gave last go on.
 */
final class PublishedKeys implements TokenKeys {
    private static final Logger log = LoggerFactory.getLogger(PublishedKeys.class);
    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);
    private static final int MOST_KEYS = 100;

    /**
     * How often keys are fetched.
     *
     * @param pause between two fetches at least, also when they fail
     * @param every this long they are fetched anew, so that a key that was withdrawn is not believed for longer
     * @param timeout one fetch, all of it
     */
    record Pace(Duration pause, Duration every, Duration timeout) {
        static final Pace USUAL = new Pace(Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofSeconds(4));
    }

    private final Fetch fetch;
    private final Pace pace;
    private final ScheduledThreadPoolExecutor timer;
    private volatile List<TokenKey> keys = List.of();
    private volatile String noKeys = "they are being fetched";
    private long begunAt;
    private long fetchedAt;
    private boolean everBegun;
    private boolean failing = true;
    private boolean complained;
    private @Nullable CompletableFuture<Void> underWay;

    PublishedKeys(URI url, Pace pace) {
        this.fetch = new Fetch(url, pace.timeout());
        this.pace = pace;
        timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "hadir-jwks");
            thread.setDaemon(true);
            return thread;
        });
        long pause = pace.pause().toMillis();
        long jitter = ThreadLocalRandom.current().nextLong(pause / 4 + 1);
        timer.scheduleWithFixedDelay(this::renewIfDue, 0, pause + jitter, TimeUnit.MILLISECONDS);
    }

    @Override
    public List<TokenKey> now() {
        return keys;
    }

    /** A key that is known by its name and did not sign is an answer; a name that is not known, or none, is a question. */
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
    public CompletionStage<Void> renew() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            if (underWay != null) {
                return underWay;
            }
            long now = System.nanoTime();
            if (everBegun && now - begunAt < pace.pause().toNanos()) {
                return CompletableFuture.completedFuture(null);
            }
            everBegun = true;
            begunAt = now;
            underWay = done;
        }
        fetch.get().whenComplete((body, failed) -> {
            if (failed == null) {
                read(body).ifPresentOrElse(this::succeeded, () -> failed("the answer is no set of keys"));
            } else {
                failed(Fetch.reason(failed));
            }
            done.complete(null);
        });
        return done;
    }

    private static Optional<List<TokenKey>> read(byte[] body) {
        try {
            return Optional.of(JWKSet.parse(new String(body, StandardCharsets.UTF_8)).getKeys().stream()
                    .limit(MOST_KEYS)
                    .flatMap(jwk -> TokenKey.of(jwk).stream())
                    .toList());
        } catch (ParseException | RuntimeException nonsense) {
            return Optional.empty();
        }
    }

    private synchronized void succeeded(List<TokenKey> published) {
        if (published.isEmpty()) {
            noKeys = "none that is published can be used";
            log.warn("No key at {} can be used: RS256 with at least 2048 bits or ES256 are expected", fetch);
        } else if (failing) {
            log.info("Tokens are checked with {} keys from {}", published.size(), fetch);
        }
        keys = published;
        fetchedAt = System.nanoTime();
        failing = false;
        complained = false;
        underWay = null;
    }

    private synchronized void failed(String why) {
        noKeys = why;
        if (!complained) {
            log.warn(
                    "No keys from {}: {}; {}",
                    fetch,
                    why,
                    keys.isEmpty() ? "no token can be accepted until there are" : "the ones that are known go on");
        }
        failing = true;
        complained = true;
        underWay = null;
    }

    /** Says nothing of the address, which is not for everybody to know. */
    @Override
    public Optional<String> trouble() {
        return keys.isEmpty()
                ? Optional.of("There are no keys from the JWKS URL to check tokens with: " + noKeys)
                : Optional.empty();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
