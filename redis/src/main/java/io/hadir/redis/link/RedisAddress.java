package io.hadir.redis.link;

import io.hadir.presence.stats.RedisStatus;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Redis, from a URL: {@code redis://}, {@code redis-sentinel://} or {@code redis-cluster://}, or with
 * TLS by {@code rediss://}, {@code rediss-sentinel://} or {@code rediss-cluster://}.
 *
 * @param seeds one address, or some addresses of a cluster
 * @param cluster whether it is a cluster
 * @param tls certificates, used if the URL asks for TLS
 * @param prefix what the names of all keys and channels begin with; empty for nothing
 */
public record RedisAddress(List<RedisURI> seeds, boolean cluster, SslOptions tls, String prefix) {
    private static final Pattern CLUSTER = Pattern.compile("(rediss?)-cluster://(.*)", Pattern.DOTALL);

    /**
     * Reads a URL.
     *
     * @throws IllegalArgumentException if it is invalid; the message does not repeat the URL, which may have a password
     */
    public static RedisAddress parse(String url) {
        return parse(url, RedisTls.NONE, "");
    }

    /** Reads a URL, with the operator's certificates for TLS and prefix for names. */
    public static RedisAddress parse(String url, RedisTls tls, String prefix) {
        try {
            SslOptions options = options(tls);
            Matcher cluster = CLUSTER.matcher(url);
            return cluster.matches()
                    ? new RedisAddress(clusterSeeds(cluster.group(1), cluster.group(2)), true, options, prefix)
                    : new RedisAddress(List.of(single(url)), false, options, prefix);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException("Redis URL (expected: " + RedisUrl.EXPECTED + ")", malformed);
        }
    }

    /** The files are read for every connection, so that renewed certificates are used without a restart. */
    private static SslOptions options(RedisTls tls) {
        SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
        if (tls.ca() != null) {
            options.trustManager(tls.ca().toFile());
        }
        if (tls.certificate() != null && tls.key() != null) {
            options.keyManager(tls.certificate().toFile(), tls.key().toFile(), new char[0]);
        }
        return options.build();
    }

    private static RedisURI single(String url) {
        RedisURI uri = RedisURI.create(url);
        String password = inQuery(url, "sentinelPassword");
        if (password != null) {
            String user = inQuery(url, "sentinelUser");
            uri.getSentinels()
                    .forEach(sentinel -> sentinel.setCredentialsProvider(
                            new StaticCredentialsProvider(user, password.toCharArray())));
        }
        return uri;
    }

    private static @Nullable String inQuery(String url, String name) {
        Matcher found = Pattern.compile("[?&]" + name + "=([^&#]*)").matcher(url);
        // A plus is a plus, not a space, as it is before the @.
        return found.find() ? URLDecoder.decode(found.group(1).replace("+", "%2B"), StandardCharsets.UTF_8) : null;
    }

    public RedisStatus.Mode mode() {
        if (cluster) {
            return RedisStatus.Mode.CLUSTER;
        }
        return seeds.get(0).getSentinels().isEmpty() ? RedisStatus.Mode.STANDALONE : RedisStatus.Mode.SENTINEL;
    }

    private static List<RedisURI> clusterSeeds(String scheme, String rest) {
        int at = rest.lastIndexOf('@');
        String credentials = rest.substring(0, at + 1);
        List<RedisURI> seeds = new ArrayList<>();
        for (String host : rest.substring(at + 1).split(",", -1)) {
            seeds.add(RedisURI.create(scheme + "://" + credentials + host));
        }
        return seeds;
    }

    /** The address as it may be shown and logged. */
    @Override
    public String toString() {
        RedisURI first = seeds.get(0);
        if (first.getSentinels().isEmpty()) {
            return shown(seeds);
        }
        return first.getSentinelMasterId() + " (by the sentinels at " + shown(first.getSentinels()) + ")";
    }

    private static String shown(List<RedisURI> uris) {
        List<String> shown = new ArrayList<>();
        uris.forEach(uri -> shown.add(uri.getHost() + ":" + uri.getPort()));
        return String.join(",", shown);
    }
}
