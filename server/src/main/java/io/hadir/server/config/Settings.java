package io.hadir.server.config;

import io.hadir.server.wire.Language;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The table of settings. Flags, environment variables, the file's keys, the help and the documents all follow it. */
final class Settings {
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

    private static final Kind<String> CLAIM = Kind.of(
            "CLAIM",
            "1 to 100 of the characters A-Z a-z 0-9 . _ : / -",
            text -> text.matches("[A-Za-z0-9._:/-]{1,100}") ? Optional.of(text) : Optional.empty());

    static final Setting<String> HOST = setting(
            SERVER,
            "host",
            Host.kind(),
            "127.0.0.1",
            "The address to listen on. Loopback by default, because in open mode every client may act as any user.");
    static final Setting<Integer> PORT = setting(
            SERVER,
            "port",
            Kind.number(0, 65_535),
            "8080",
            "The port for HTTP, long-polling and WebSocket; 0 takes any free one.");
    static final Setting<String> PATH = setting(
            SERVER,
            "path",
            Urls.path(),
            "/socket.io/",
            "The path of Socket.IO, as clients have it in their option path. Socket.IO's default.");
    static final Setting<String> ADMIN_HOST = optional(
            SERVER,
            "admin-host",
            Host.kind(),
            "--host",
            "Another address for /api, /metrics, /dashboard and /docs. The public one then has none of them.");
    static final Setting<Integer> ADMIN_PORT = optional(
            SERVER,
            "admin-port",
            Kind.number(0, 65_535),
            "--port",
            "Another port for /api, /metrics, /dashboard and /docs. The public one then has none of them.");
    static final Setting<String> PAGES = optional(
            SERVER,
            "pages",
            Kind.oneOf("all", "dashboard", "none"),
            "all in open mode, else dashboard",
            "Which pages the server has: all, also the room page at / for trying out; the dashboard and /docs; or none.");
    static final Setting<List<String>> ALLOWED_ORIGINS = optional(
            SERVER,
            "allowed-origins",
            Urls.origins(),
            "the server's own; in open mode also pages from loopback",
            "Web origins that may connect besides the server's own, separated by commas; * allows every page.");
    static final Setting<Networks> TRUSTED_PROXIES = optional(
            SERVER,
            "trusted-proxies",
            Networks.kind(),
            "none",
            "The proxies in front of this server, separated by commas, such as 10.0.0.0/8. Limits then count clients by"
                    + " the address in X-Forwarded-For. From any other address, the server ignores that header.");
    static final Setting<Boolean> INSECURE = setting(
            SERVER,
            "insecure",
            Kind.truth(),
            "false",
            "Lets open mode listen beyond loopback. For closed networks only: clients do not prove who they are.");

    static final Setting<String> JWT_SECRET = optional(
            TOKENS,
            "jwt-secret",
            Kind.secret(32),
            "none; without any of the three keys, the server is in open mode",
            "The secret that your backend signs its users' tokens with (HS256), used exactly as written. Prefer a"
                    + " variable or the file: other users of the machine can see flags.");
    static final Setting<PublicKey> JWT_PUBLIC_KEY = optional(
            TOKENS,
            "jwt-public-key",
            Pem.publicKey(),
            "none",
            "The public key of the tokens' issuer, as PEM text or the path of a PEM file. An RSA key means RS256, an EC key"
                    + " ES256, whatever a token claims.");
    static final Setting<URI> JWKS_URL = optional(
            TOKENS,
            "jwks-url",
            Urls.jwks(),
            "none",
            "Where the tokens' issuer publishes its public keys, for RS256 and ES256. The server fetches them at the start,"
                    + " every five minutes, and when a token names an unknown key.");
    static final Setting<String> JWT_ISSUER = optional(
            TOKENS,
            "jwt-issuer",
            Kind.text(500),
            "not checked",
            "The value that a token's iss must have. Set it if the key signs for more than one issuer.");
    static final Setting<String> JWT_AUDIENCE = optional(
            TOKENS,
            "jwt-audience",
            Kind.text(500),
            "not checked",
            "The value that a token's aud must contain. Set it if the key also signs tokens for other services.");

    static final Setting<String> JWT_USER_CLAIM = setting(
            TOKENS,
            "jwt-user-claim",
            CLAIM,
            "sub",
            "The claim that has the user's id. JWT's own is sub; many apps use id or userId.");
    static final Setting<String> JWT_NAME_CLAIM =
            setting(TOKENS, "jwt-name-claim", CLAIM, "name", "The claim that has the user's name, if a token has one.");
    static final Setting<Duration> JWT_MAX = optional(
            TOKENS,
            "jwt-max-seconds",
            Kind.seconds(60, 31_622_400),
            "no limit",
            "The longest lifetime of a token, from its iat to its exp. With a limit, tokens without iat are refused. Minutes"
                    + " are enough if clients refresh their tokens.");

    static final Setting<Boolean> NAMES_FROM_CLIENTS = setting(
            TOKENS,
            "names-from-clients",
            Kind.truth(),
            "false",
            "Lets clients with a token choose their username. Otherwise the token decides, so nobody can pose as somebody"
                    + " else.");

    static final Setting<String> API_KEY = optional(
            API,
            "api-key",
            Kind.key(16, 1_024),
            "only programs on the same machine may call; with --insecure, everyone",
            "The key that backends send to use /api and /metrics, as Authorization: Bearer or X-API-Key. Prefer a variable"
                    + " or the file: other users of the machine can see flags.");

    static final Setting<String> API_READ_KEY = optional(
            API,
            "api-read-key",
            Kind.key(16, 1_024),
            "none",
            "A key that may only read, for dashboards: no kicks, bans, settings, messages or audits. Without --api-key, nobody may do these then.");
    static final Setting<String> METRICS_KEY = optional(
            API, "metrics-key", Kind.key(16, 1_024), "none", "A key that may only read /metrics, for Prometheus.");
    static final Setting<String> TRUNK_KEY = optional(
            API,
            "trunk-key",
            Kind.key(16, 1_024),
            "none; no app may connect at /trunk",
            "The key that app servers send to open a trunk, as Authorization: Bearer. An app with it may act as any user."
                    + " Beyond loopback and without a key for tokens, the server serves trunks only."
                    + " Prefer a variable or the file: other users of the machine can see flags.");

    static final Setting<String> REDIS_URL = optional(
            REDIS,
            "redis-url",
            Urls.redis(),
            "an embedded Redis that ends with the server",
            "The Redis that holds the truth. Nodes that share it share their rooms.");
    static final Setting<String> REDIS_PREFIX = optional(
            REDIS,
            "redis-prefix",
            Kind.of(
                    "TEXT",
                    "1 to 64 of the characters A-Z a-z 0-9 . _ ~ @ : -",
                    text -> text.matches("[A-Za-z0-9._~@:-]{1,64}") ? Optional.of(text) : Optional.empty()),
            "none",
            "What the names of all keys and channels begin with, such as chat:, to share a Redis with other programs.");
    static final Setting<Boolean> ADOPT_KEYS = setting(
            REDIS,
            "adopt-keys",
            Kind.truth(),
            "false",
            "Starts although another program's presence keys are in a Redis that no Hadir has used. The sweep removes those"
                    + " without a live socket.");
    static final Setting<Path> REDIS_CA = optional(
            REDIS,
            "redis-ca",
            Pem.certificates(),
            "the certificates that Java trusts",
            "The certificate of the CA that signed the certificate of a Redis with TLS, or that certificate itself.");
    static final Setting<Path> REDIS_CERT = optional(
            REDIS,
            "redis-cert",
            Pem.certificates(),
            "none",
            "The client certificate for a Redis with TLS that asks for one.");
    static final Setting<Path> REDIS_KEY = optional(
            REDIS,
            "redis-key",
            Pem.privateKey(),
            "none",
            "The private key of that certificate. Every new connection reads these files, so renewed ones need no restart.");

    static final Setting<Duration> TTL = setting(
            PRESENCE,
            "ttl-seconds",
            Kind.seconds(2, THIRTY_DAYS),
            "21600",
            "How long a user stays in a room without a heartbeat; longer than the grace period. Six hours, so a phone that"
                    + " sleeps with its connection open keeps its place.");
    static final Setting<Duration> HEARTBEAT = setting(
            PRESENCE,
            "heartbeat-seconds",
            Kind.seconds(1, HOUR),
            "25",
            "How often clients should send a heartbeat; more often in rooms where a third of the TTL is shorter. The same"
                    + " as the ping interval, so a removed user learns of it within half a minute.");
    static final Setting<Duration> GRACE = setting(
            PRESENCE,
            "grace-seconds",
            Kind.seconds(1, HOUR),
            "15",
            "The grace period: how long a user stays after their last connection ended. Long enough to reload a page or"
                    + " change networks without anyone seeing a leave.");
    static final Setting<Duration> AWAY = setting(
            PRESENCE,
            "away-seconds",
            Kind.seconds(1, THIRTY_DAYS),
            "1800",
            "How long a user whose app went to the background stays, as away, after its connection fell silent; at most as"
                    + " long as their presence lives. Half an hour, because phones suspend apps in the background.");
    static final Setting<Duration> SWEEP = setting(
            PRESENCE,
            "sweep-seconds",
            Kind.seconds(1, HOUR),
            "30",
            "How often the sweep compares presences with live sockets. It is the second line of defence and need not run"
                    + " more often.");
    static final Setting<Double> SWEEP_SHARE = setting(
            PRESENCE,
            "sweep-share",
            Kind.percent(),
            "5",
            "How much of Redis' time the scan of all presences may take, in percent. Clients hardly notice a twentieth; with"
                    + " more presences than it can scan in time, the scan takes longer.");
    static final Setting<Duration> LEASE = setting(
            PRESENCE,
            "lease-seconds",
            Kind.seconds(3, HOUR),
            "15",
            "How long a silent node counts as alive. Nodes renew their lease three times in that time, so one lost renewal"
                    + " does no harm.");
    static final Setting<String> INACTIVITY_MESSAGE = optional(
            PRESENCE,
            "inactivity-message",
            Kind.text(500),
            "\"You have been logged out due to inactivity\" and the TTL in words",
            "The text for a user whose presence expired, in every language that has none in messages. {time} stands for the"
                    + " TTL in words. A room may have its own.");
    static final Setting<Language> LANGUAGE = setting(
            PRESENCE,
            "language",
            Kind.of("en|id", "en or id", Language::of),
            "en",
            "The language of texts for clients that ask for none, or for one that Hadir does not have.");
    static final Setting<Integer> NAMES_LIMIT = setting(
            PRESENCE,
            "names-limit",
            Kind.number(0, 1_000_000),
            "1000",
            "The number of participants above which a room's changes are sent without names, so large rooms cost no more"
                    + " than small ones.");

    static final Setting<Duration> PING_INTERVAL = setting(
            TRANSPORT,
            "ping-interval-seconds",
            Kind.seconds(1, HOUR),
            "25",
            "How often the server pings a client. Socket.IO's default, and below the idle timeout of most proxies.");
    static final Setting<Duration> PING_TIMEOUT = setting(
            TRANSPORT,
            "ping-timeout-seconds",
            Kind.seconds(1, HOUR),
            "20",
            "How long a client may take to answer a ping before the server disconnects it. Socket.IO's default.");
    static final Setting<Integer> MAX_PAYLOAD = setting(
            TRANSPORT,
            "max-payload-bytes",
            Kind.bytes(100, 100 * MEBIBYTE),
            "100000",
            "The largest message that a client may send. Presence needs far less.");
    static final Setting<Integer> SEND_BUFFER = setting(
            TRANSPORT,
            "send-buffer-bytes",
            Kind.bytes(1_024, 1_024 * MEBIBYTE),
            "1048576",
            "How much may wait for a client that does not read before the server closes it, so one slow reader cannot use"
                    + " up the memory.");

    static final Setting<Integer> MAX_CONNECTIONS = setting(
            LIMITS,
            "max-connections",
            Kind.number(1, 10_000_000),
            "100000",
            "TCP connections and sessions in all. A tenth is reserved for sockets with a good token. If unauthenticated"
                    + " clients have taken the rest, a newcomer replaces the one that has been silent longest.");
    static final Setting<Integer> CONNECTIONS_PER_ADDRESS = setting(
            LIMITS,
            "connections-per-address",
            Kind.number(0, 10_000_000),
            "0",
            "TCP connections and sessions from one address; 0 for no limit, because behind a proxy that is not in"
                    + " --trusted-proxies all clients share one address.");
    static final Setting<Integer> EVENTS_PER_SECOND = setting(
            LIMITS,
            "events-per-second",
            Kind.number(0, 1_000_000),
            "50",
            "Events that one socket may send, in bursts of up to twice that; 0 for no limit. All sockets of a user on one"
                    + " node together may send four times as many. A list of more than 100 counts as one event per 100.");
    static final Setting<Integer> SOCKETS_PER_USER = setting(
            LIMITS,
            "sockets-per-user",
            Kind.number(1, 1_000_000),
            "20",
            "Sockets that one user may have at a time, on all nodes together. The newest is refused.");
    static final Setting<Integer> ROOMS_PER_SOCKET = setting(
            LIMITS, "rooms-per-socket", Kind.number(1, 1_000_000), "50", "Rooms that one socket may be in at a time.");

    static final Setting<String> LOG_FORMAT = setting(
            LOG,
            "log-format",
            Kind.oneOf("text", "json"),
            "text",
            "Text for people, or one JSON object per line for log collectors. The log goes to standard error.");
    static final Setting<String> LOG_LEVEL = setting(
            LOG,
            "log-level",
            Kind.oneOf("error", "warn", "info", "debug"),
            "info",
            "The lowest level to log. At info, the log has what an operator wants to know, and nothing about single clients.");

    /** Every setting, in the order of the help and the documents. */
    static final List<Setting<?>> ALL = List.of(
            HOST,
            PORT,
            PATH,
            ADMIN_HOST,
            ADMIN_PORT,
            PAGES,
            ALLOWED_ORIGINS,
            TRUSTED_PROXIES,
            INSECURE,
            JWT_SECRET,
            JWT_PUBLIC_KEY,
            JWKS_URL,
            JWT_ISSUER,
            JWT_AUDIENCE,
            JWT_USER_CLAIM,
            JWT_NAME_CLAIM,
            JWT_MAX,
            NAMES_FROM_CLIENTS,
            API_KEY,
            API_READ_KEY,
            METRICS_KEY,
            TRUNK_KEY,
            REDIS_URL,
            REDIS_PREFIX,
            ADOPT_KEYS,
            REDIS_CA,
            REDIS_CERT,
            REDIS_KEY,
            TTL,
            HEARTBEAT,
            GRACE,
            AWAY,
            SWEEP,
            SWEEP_SHARE,
            LEASE,
            INACTIVITY_MESSAGE,
            LANGUAGE,
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

    /** The keys to check tokens with; at most one may be set. */
    static final List<Setting<?>> TOKEN_KEYS = List.of(JWT_SECRET, JWT_PUBLIC_KEY, JWKS_URL);

    /** The file, which cannot name another file. */
    static final Setting<Path> FILE = optional(
            "File",
            "config",
            Kind.of("FILE", "the path of a YAML file", Settings::path),
            "no file",
            "A YAML file with the flags' names as keys. Flags override environment variables, which override the file.");

    /** Variables with our prefix that the launcher and the commands read. */
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
