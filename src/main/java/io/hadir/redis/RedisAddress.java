package io.hadir.redis;

import io.hadir.presence.RedisStatus;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;

/**
 * Where Redis is, as given by {@code redis://}, {@code rediss://}, {@code redis-sentinel://} or {@code redis-cluster://}.
 *
 * @param seeds where to begin: one address, or some of a cluster's
 * @param cluster whether keys are spread over a cluster
 */
public record RedisAddress(List<RedisURI> seeds, boolean cluster) {
    private static final String CLUSTER = "redis-cluster://";
    private static final String EXPECTED =
            "redis://host:port, rediss://host:port, redis-sentinel://host:port,host:port/0#master"
                    + " or redis-cluster://host:port,host:port";

    /**
     * Reads a URL.
     *
     * @throws IllegalArgumentException if it is not one; the message does not repeat the URL, which may have a password
     */
    public static RedisAddress parse(String url) {
        try {
            return url.startsWith(CLUSTER)
                    ? new RedisAddress(clusterSeeds(url.substring(CLUSTER.length())), true)
                    : new RedisAddress(List.of(RedisURI.create(url)), false);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException("Redis URL (expected: " + EXPECTED + ")", malformed);
        }
    }

    RedisStatus.Mode mode() {
        if (cluster) {
            return RedisStatus.Mode.CLUSTER;
        }
        return seeds.get(0).getSentinels().isEmpty() ? RedisStatus.Mode.STANDALONE : RedisStatus.Mode.SENTINEL;
    }

    private static List<RedisURI> clusterSeeds(String rest) {
        int at = rest.lastIndexOf('@');
        String credentials = rest.substring(0, at + 1);
        List<RedisURI> seeds = new ArrayList<>();
        for (String host : rest.substring(at + 1).split(",", -1)) {
            seeds.add(RedisURI.create("redis://" + credentials + host));
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
