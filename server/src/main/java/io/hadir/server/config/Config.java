package io.hadir.server.config;

import io.hadir.redis.link.RedisTls;
import io.hadir.redis.link.RedisUrl;
import io.hadir.server.wire.Texts;
import io.hadir.socketio.engine.TransportConfig;
import java.net.URI;
import java.security.PublicKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every setting, valid alone and together with the others. {@link Settings} says what each is for. */
public record Config(
        Server server,
        Auth auth,
        Redis redis,
        Presence presence,
        Texts texts,
        TransportConfig transport,
        Limits limits,
        Api api,
        Trunk trunk,
        Log log) {

    /** The configuration when nothing is set. */
    public static Config defaults() {
        return ConfigLoader.load(Flags.parse(List.of()), Map.of()).config();
    }

    /**
     * Where the server listens, and which clients it answers.
     *
     * @param host the address to bind, IPv6 without brackets
     * @param port the port to bind, 0 for any free one
     * @param path of Socket.IO, with a slash at both ends
     * @param admin where {@code /api}, {@code /metrics}, {@code /dashboard} and {@code /docs} are; null for the same
     *     address
     * @param pages which pages there are
     * @param allowedOrigins web origins that may connect besides the server's own, as browsers write them; {@code *}
     *     allows all
     * @param trustedProxies proxies whose {@code X-Forwarded-For} is believed
     * @param insecure whether open mode may listen beyond loopback
     */
    public record Server(
            String host,
            int port,
            String path,
            @Nullable Address admin,
            Pages pages,
            List<String> allowedOrigins,
            Networks trustedProxies,
            boolean insecure) {
        public Server {
            allowedOrigins = List.copyOf(allowedOrigins);
        }
    }

    /** A host and port to listen on. */
    public record Address(String host, int port) {}

    /** Which pages the server has; each includes those after it. */
    public enum Pages {
        ALL,
        DASHBOARD,
        NONE
    }

    /**
     * How users authenticate: by tokens that are checked with one of three keys. Without a key the server is in open
     * mode, or serves trunks only.
     *
     * @param trunksOnly whether nobody may connect directly, because there is no key
     * @param secret for HS256, shared with the backend that issues the tokens
     * @param publicKey for RS256 or ES256, depending on its type
     * @param jwksUrl where the public keys are published, for RS256 and ES256
     * @param issuer the required {@code iss}; null if it is not checked
     * @param audience the required {@code aud}; null if it is not checked
     * @param maxLifetime from {@code iat} to {@code exp}; null if there is no limit
     * @param namesFromClients whether clients with a token may choose their username
     * @param userClaim the claim with the user's id
     * @param nameClaim the claim with the user's name
     */
    public record Auth(
            boolean trunksOnly,
            @Nullable String secret,
            @Nullable PublicKey publicKey,
            @Nullable URI jwksUrl,
            @Nullable String issuer,
            @Nullable String audience,
            @Nullable Duration maxLifetime,
            boolean namesFromClients,
            String userClaim,
            String nameClaim) {
        /** The allowed difference between our clock and that of the tokens' issuer. */
        public static final Duration SKEW = Duration.ofSeconds(30);

        /** Longer than any token lives, because {@code exp} must be before the year 10000. */
        private static final Duration FOREVER = Duration.ofDays(8_000 * 366L);

        /** Tokens with the usual claims; the token sets the username. */
        public Auth(
                @Nullable String secret,
                @Nullable PublicKey publicKey,
                @Nullable URI jwksUrl,
                @Nullable String issuer,
                @Nullable String audience,
                @Nullable Duration maxLifetime) {
            this(false, secret, publicKey, jwksUrl, issuer, audience, maxLifetime, false, "sub", "name");
        }

        /** How long a revocation must be kept to outlive every token that it covers. */
        public Duration revocation() {
            return maxLifetime == null ? FOREVER : maxLifetime.plus(SKEW);
        }

        /** Whether the server is in open mode: clients say who they are and are believed. */
        public boolean isOpen() {
            return !trunksOnly && secret == null && publicKey == null && jwksUrl == null;
        }

        /** What tokens are checked with, without secrets. */
        public String shownKey() {
            if (jwksUrl != null) {
                return "keys from " + Urls.shown(jwksUrl.toString());
            }
            return secret != null ? "a secret (HS256)" : publicKey != null ? "a public key" : "no key";
        }

        @Override
        public String toString() {
            return "Auth[" + shownKey() + ", issuer=" + issuer + ", audience=" + audience + "]";
        }
    }

    /**
     * Which Redis holds the truth.
     *
     * @param url null for an embedded one that ends with the server
     * @param tls used if the URL asks for TLS
     * @param prefix what all names begin with; empty for nothing
     * @param adopt whether to take over another program's presence keys
     */
    public record Redis(@Nullable String url, RedisTls tls, String prefix, boolean adopt) {
        @Override
        public String toString() {
            return "Redis[url=" + (url == null ? null : RedisUrl.withoutPassword(url)) + ", tls=" + tls + "]";
        }
    }

    /**
     * How long users count as present.
     *
     * @param ttl how long a presence lives without a heartbeat; longer than the grace period
     * @param heartbeat how often clients should send one
     * @param grace the grace period
     * @param away how long a user whose paused socket fell silent stays
     * @param sweep the time between two sweeps
     * @param sweepShare how much of Redis' time a scan may take, in percent
     * @param lease how long a node's lease lives; nodes renew it three times in that time
     * @param namesLimit the number of participants above which a room's changes are sent without names
     */
    public record Presence(
            Duration ttl,
            Duration heartbeat,
            Duration grace,
            Duration away,
            Duration sweep,
            double sweepShare,
            Duration lease,
            int namesLimit) {}

    /**
     * What one client may use.
     *
     * @param maxConnections TCP connections in all
     * @param connectionsPerAddress TCP connections from one address; 0 for no limit
     * @param eventsPerSecond events of one socket, bursts of twice that; 0 for no limit
     * @param socketsPerUser sockets of one user at a time, on all nodes together
     * @param roomsPerSocket rooms that one socket may be in at a time
     */
    public record Limits(
            int maxConnections,
            int connectionsPerAddress,
            int eventsPerSecond,
            int socketsPerUser,
            int roomsPerSocket) {
        private static final int SOCKETS_AT_FULL_RATE = 4;
        private static final int MIN_STRANGERS = 100;
        private static final int STRANGERS_SHARE = 10;

        /** Events of all sockets of one user on this node together, bursts of twice that; 0 for no limit. */
        public int eventsPerSecondOfUser() {
            return SOCKETS_AT_FULL_RATE * eventsPerSecond;
        }

        /**
         * Sessions of one address that may be open before they connect to a namespace. A tenth of all, because
         * thousands of clients behind one address may reconnect at once.
         */
        public int strangersPerAddress() {
            return Math.max(MIN_STRANGERS, maxConnections / STRANGERS_SHARE);
        }
    }

    /**
     * Who may use the HTTP API.
     *
     * @param key may do everything; null if only programs on the same machine may call, without a key
     * @param readKey may only read; null if there is none
     * @param metricsKey may only read metrics; null if there is none
     */
    public record Api(
            @Nullable String key,
            @Nullable String readKey,
            @Nullable String metricsKey) {
        @Override
        public String toString() {
            return "Api[key=" + hidden(key) + ", readKey=" + hidden(readKey) + ", metricsKey=" + hidden(metricsKey)
                    + "]";
        }

        private static @Nullable String hidden(@Nullable String key) {
            return key == null ? null : "***";
        }
    }

    /**
     * Which app servers may connect with all their sockets.
     *
     * @param key the key that they send; null if none may
     */
    public record Trunk(@Nullable String key) {
        @Override
        public String toString() {
            return "Trunk[key=" + (key == null ? null : "***") + "]";
        }
    }

    /**
     * How and what the server logs.
     *
     * @param format {@code text} or {@code json}
     * @param level the lowest level that is logged
     */
    public record Log(String format, String level) {}
}
