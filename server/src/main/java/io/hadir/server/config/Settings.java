package io.hadir.server.config;

import io.hadir.redis.link.RedisUrl;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The table of settings: flags, environment variables, keys of the file, the help and the documents all come from here
 * or are held against it.
 */
final class Settings {
    static final String VARIABLE_PREFIX = "HADIR_";

    private static final String SERVER = "Server";
    private static final String TOKENS = "Tokens";
    private static final String API = "HTTP API";
    private static final String REDIS = "Redis";
    private static final String PRESENCE = "Presence";
    private static final String TRANSPORT = "Transport";
    private static final String LIMITS = "Limits";
    private static final String LOG = "Log";

    private static final int HOUR = 3_600;
    private static final int THIRTY_DAYS = 2_592_000;
    private static final int MEBIBYTE = 1_048_576;

    static final Setting<String> HOST = setting(
            SERVER,
            "host",
            Host.kind(),
            "127.0.0.1",
            "The address to listen on. Loopback, because in open mode whoever reaches the server may name any user.");
    static final Setting<Integer> PORT = setting(
            SERVER,
            "port",
            Kind.number(0, 65_535),
            "8080",
            "The one port for HTTP, polling and WebSocket; 0 takes any free one.");
    static final Setting<List<String>> ALLOWED_ORIGINS = optional(
            SERVER,
            "allowed-origins",
            Origin.list(),
            "the server's own, and in open mode pages from loopback",
            "Web origins that may connect besides the server's own, separated by commas; * allows every page.");
    static final Setting<Networks> TRUSTED_PROXIES = optional(
            SERVER,
            "trusted-proxies",
            Networks.kind(),
            "none",
            "Addresses of the proxies in front of this server, separated by commas, such as 10.0.0.0/8. Limits then count"
                    + " a client by the address that they give in X-Forwarded-For. From anybody else that header means"
                    + " nothing.");
    static final Setting<Boolean> INSECURE = setting(
            SERVER,
            "insecure",
            Kind.truth(),
            "false",
            "Lets open mode listen beyond loopback. For closed networks only: nobody has to prove who they are.");

    static final Setting<String> JWT_SECRET = optional(
            TOKENS,
            "jwt-secret",
            Kind.secret(32),
            "none; without any of the three keys the server is in open mode",
            "The secret with which your backend signs the tokens of its users (HS256), taken as it is written. Rather a"
                    + " variable or the file than a flag, which other users of the machine can see.");
    static final Setting<PublicKey> JWT_PUBLIC_KEY = optional(
            TOKENS,
            "jwt-public-key",
            PemKey.kind(),
            "none",
            "The public key of whoever signs the tokens, as PEM or its path. An RSA key means RS256, an EC key ES256,"
                    + " whatever a token says of itself.");
    static final Setting<URI> JWKS_URL = optional(
            TOKENS,
            "jwks-url",
            JwksUrl.kind(),
            "none",
            "Where the public keys of whoever signs the tokens are published, for RS256 and ES256. Fetched at the start,"
                    + " every five minutes, and when a token names a new key.");
    static final Setting<String> JWT_ISSUER = optional(
            TOKENS,
            "jwt-issuer",
            Kind.text(500),
            "not checked",
            "What a token's iss must be. Set it when the key signs for more than one issuer.");
    static final Setting<String> JWT_AUDIENCE = optional(
            TOKENS,
            "jwt-audience",
            Kind.text(500),
            "not checked",
            "What a token's aud must contain. Set it when the same key also signs tokens for other services.");

    static final Setting<Duration> JWT_MAX = optional(
            TOKENS,
            "jwt-max-seconds",
            Kind.seconds(60, 31_622_400),
            "no limit",
            "The longest that a token may live, from its iat to its exp; with a limit, a token without iat is refused."
                    + " Minutes are enough if clients refresh their tokens.");

    static final Setting<String> API_KEY = optional(
            API,
            "api-key",
            Kind.key(16, 1_024),
            "programs on the same machine only, and with --insecure everybody",
            "What backends show to use /api and /metrics, as Authorization: Bearer or X-API-Key. Better as a variable"
                    + " than as a flag, which others on the machine can see.");

    static final Setting<String> REDIS_URL = optional(
            REDIS,
            "redis-url",
            new Kind<>(
                    "URL",
                    RedisUrl.EXPECTED,
                    text -> RedisUrl.isValid(text) ? Optional.of(text) : Optional.empty(),
                    RedisUrl::withoutPassword),
            "a Redis of its own that ends with the server",
            "The Redis that holds the truth; servers that share it share their rooms.");
    static final Setting<Path> REDIS_CA = optional(
            REDIS,
            "redis-ca",
            PemFile.certificates(),
            "the certificates that Java trusts",
            "Who signed the certificate of a Redis with TLS: a private CA, or the certificate itself.");
    static final Setting<Path> REDIS_CERT = optional(
            REDIS,
            "redis-cert",
            PemFile.certificates(),
            "none",
            "The certificate that Hadir shows to a Redis with TLS that asks for one.");
    static final Setting<Path> REDIS_KEY = optional(
            REDIS,
            "redis-key",
            PemFile.privateKey(),
            "none",
            "The private key of that certificate. These files are read for every connection, so renewed ones need no restart.");

    static final Setting<Duration> TTL = setting(
            PRESENCE,
            "ttl-seconds",
            Kind.seconds(2, THIRTY_DAYS),
            "21600",
            "How long a user stays in a room without a heartbeat; more than the grace. Six hours, so that a phone that"
                    + " sleeps with its connection open keeps its place.");
    static final Setting<Duration> HEARTBEAT = setting(
            PRESENCE,
            "heartbeat-seconds",
            Kind.seconds(1, HOUR),
            "25",
            "How often clients are told to send a heartbeat; where a third of the room's TTL is less, that often. As often"
                    + " as pings, so that a user who was removed learns it within half a minute.");
    static final Setting<Duration> GRACE = setting(
            PRESENCE,
            "grace-seconds",
            Kind.seconds(1, HOUR),
            "15",
            "How long a user stays after the last connection ended. Long enough for a reloaded page or a change of"
                    + " network, which nobody then sees as a leave.");
    static final Setting<Duration> SWEEP = setting(
            PRESENCE,
            "sweep-seconds",
            Kind.seconds(1, HOUR),
            "30",
            "How often presences are held against the sockets that are really there. The second line of defence, so"
                    + " it need not be more frequent.");
    static final Setting<Duration> LEASE = setting(
            PRESENCE,
            "lease-seconds",
            Kind.seconds(3, HOUR),
            "15",
            "How long a server that fell silent counts as alive. Renewed three times in it, so that one lost renewal"
                    + " does no harm.");
    static final Setting<String> INACTIVITY_MESSAGE = optional(
            PRESENCE,
            "inactivity-message",
            Kind.text(500),
            "\"You have been logged out due to inactivity\" with the TTL in words",
            "What a user reads whose presence ran out. A room may have its own.");
    static final Setting<Integer> NAMES_LIMIT = setting(
            PRESENCE,
            "names-limit",
            Kind.number(0, 1_000_000),
            "1000",
            "Participants above which a room's changes are sent without names, so that a crowd costs no more to tell"
                    + " than a group.");

    static final Setting<Duration> PING_INTERVAL = setting(
            TRANSPORT,
            "ping-interval-seconds",
            Kind.seconds(1, HOUR),
            "25",
            "How often the server asks a client whether it is there. Socket.IO's default, below the idle timeout of"
                    + " most proxies.");
    static final Setting<Duration> PING_TIMEOUT = setting(
            TRANSPORT,
            "ping-timeout-seconds",
            Kind.seconds(1, HOUR),
            "20",
            "How long a client may take to answer a ping before it counts as gone. Socket.IO's default.");
    static final Setting<Integer> MAX_PAYLOAD = setting(
            TRANSPORT,
            "max-payload-bytes",
            Kind.bytes(100, 100 * MEBIBYTE),
            "100000",
            "The largest message a client may send. Presence needs far less, so that nobody has to raise it.");
    static final Setting<Integer> SEND_BUFFER = setting(
            TRANSPORT,
            "send-buffer-bytes",
            Kind.bytes(1_024, 1_024 * MEBIBYTE),
            "1048576",
            "What may wait for a client that does not read before it is closed, so that one slow reader does not eat"
                    + " the memory of all.");

    static final Setting<Integer> MAX_CONNECTIONS = setting(
            LIMITS,
            "max-connections",
            Kind.number(1, 10_000_000),
            "100000",
            "TCP connections and sessions in all. A tenth is reserved for sockets with a good token. When strangers have"
                    + " taken the rest, the one that has been quiet longest makes way for a newcomer.");
    static final Setting<Integer> CONNECTIONS_PER_ADDRESS = setting(
            LIMITS,
            "connections-per-address",
            Kind.number(0, 10_000_000),
            "0",
            "TCP connections and sessions from one address; 0 for no limit, because behind a proxy that is not among"
                    + " --trusted-proxies all clients share one.");
    static final Setting<Integer> EVENTS_PER_SECOND = setting(
            LIMITS,
            "events-per-second",
            Kind.number(0, 1_000_000),
            "50",
            "Events that one socket may send, in bursts of up to twice that; 0 for no limit. All sockets of a user on a"
                    + " server together may send four times as many. A list of more than 100 counts as one event for each"
                    + " 100.");
    static final Setting<Integer> SOCKETS_PER_USER = setting(
            LIMITS,
            "sockets-per-user",
            Kind.number(1, 1_000_000),
            "20",
            "Connections that one user may have at a time, on all servers together. The newest is refused.");
    static final Setting<Integer> ROOMS_PER_SOCKET = setting(
            LIMITS, "rooms-per-socket", Kind.number(1, 1_000_000), "50", "Rooms that one socket may be in at a time.");

    static final Setting<String> LOG_FORMAT = setting(
            LOG,
            "log-format",
            Kind.oneOf("text", "json"),
            "text",
            "Lines for people, or one JSON object a line for programs that collect logs. The log goes to standard"
                    + " error.");
    static final Setting<String> LOG_LEVEL = setting(
            LOG,
            "log-level",
            Kind.oneOf("error", "warn", "info", "debug"),
            "info",
            "The least important lines that are written. At info there is a line for what an operator wants to know,"
                    + " and none for what a single client does.");

    /** Every setting, in the order in which they are shown. */
    static final List<Setting<?>> ALL = List.of(
            HOST,
            PORT,
            ALLOWED_ORIGINS,
            TRUSTED_PROXIES,
            INSECURE,
            JWT_SECRET,
            JWT_PUBLIC_KEY,
            JWKS_URL,
            JWT_ISSUER,
            JWT_AUDIENCE,
            JWT_MAX,
            API_KEY,
            REDIS_URL,
            REDIS_CA,
            REDIS_CERT,
            REDIS_KEY,
            TTL,
            HEARTBEAT,
            GRACE,
            SWEEP,
            LEASE,
            INACTIVITY_MESSAGE,
            NAMES_LIMIT,
            PING_INTERVAL,
            PING_TIMEOUT,
            MAX_PAYLOAD,
            SEND_BUFFER,
            MAX_CONNECTIONS,
            CONNECTIONS_PER_ADDRESS,
            EVENTS_PER_SECOND,
            SOCKETS_PER_USER,
            ROOMS_PER_SOCKET,
            LOG_FORMAT,
            LOG_LEVEL);

    /** What can vouch for tokens; at most one of them is set. */
    static final List<Setting<?>> TOKEN_KEYS = List.of(JWT_SECRET, JWT_PUBLIC_KEY, JWKS_URL);

    /** The file itself, which cannot be set in the file. */
    static final Setting<Path> FILE = optional(
            "File",
            "config",
            Kind.of("FILE", "the path of a YAML file", Settings::path),
            "no file",
            "A YAML file with the flags' names as keys. Flags weigh more than environment variables, those more than"
                    + " the file.");

    /** Variables with our prefix that others read. */
    static final List<String> FOREIGN_VARIABLES = List.of("HADIR_JAVA_OPTS", "HADIR_URL");

    private Settings() {}

    private static <T> Setting<T> setting(String concern, String name, Kind<T> kind, String fallback, String about) {
        return new Setting<>(concern, name, kind, fallback, "", about);
    }

    private static <T> Setting<T> optional(String concern, String name, Kind<T> kind, String absent, String about) {
        return new Setting<>(concern, name, kind, null, absent, about);
    }

    private static Optional<Path> path(String text) {
        try {
            return text.isBlank() ? Optional.empty() : Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }
}
