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

    static final Setting<String> HOST = setting(SERVER, "host", Host.kind(), "127.0.0.1", "The address to listen on.");
    static final Setting<Integer> PORT = setting(
            SERVER,
            "port",
            Kind.number(0, 65_535),
            "8080",
            "The port of HTTP, long-polling and WebSocket; 0 takes a free one.");
    static final Setting<String> PATH =
            setting(SERVER, "path", Urls.path(), "/socket.io/", "The path of Socket.IO; clients need the same.");
    static final Setting<String> ADMIN_HOST = optional(
            SERVER,
            "admin-host",
            Host.kind(),
            "--host",
            "A separate address for /api, /metrics, /dashboard and /docs.");
    static final Setting<Integer> ADMIN_PORT =
            optional(SERVER, "admin-port", Kind.number(0, 65_535), "--port", "A separate port for the same.");
    static final Setting<String> PAGES = optional(
            SERVER,
            "pages",
            Kind.oneOf("all", "dashboard", "none"),
            "all in open mode, else dashboard",
            "Which pages to serve: all adds the room page at / to the dashboard and /docs.");
    static final Setting<List<String>> ALLOWED_ORIGINS = optional(
            SERVER,
            "allowed-origins",
            Urls.origins(),
            "the server's own; in open mode also pages from loopback",
            "Web origins that may connect besides the server's own, separated by commas; * allows all.");
    static final Setting<Networks> TRUSTED_PROXIES = optional(
            SERVER,
            "trusted-proxies",
            Networks.kind(),
            "none",
            "Your proxies, such as 10.0.0.0/8, separated by commas. Limits trust X-Forwarded-For only from them.");
    static final Setting<Boolean> INSECURE = setting(
            SERVER, "insecure", Kind.truth(), "false", "Lets open mode listen beyond loopback, in closed networks.");

    static final Setting<String> JWT_SECRET = optional(
            TOKENS,
            "jwt-secret",
            Kind.secret(32),
            "none",
            "The secret that signs tokens (HS256), at least 32 bytes, used exactly as written.");
    static final Setting<PublicKey> JWT_PUBLIC_KEY = optional(
            TOKENS,
            "jwt-public-key",
            Pem.publicKey(),
            "none",
            "The issuer's public key, as PEM text or file: RSA (2048 bits or more) for RS256, P-256 for ES256.");
    static final Setting<URI> JWKS_URL = optional(
            TOKENS, "jwks-url", Urls.jwks(), "none", "Where the issuer publishes its public keys (RS256, ES256).");
    static final Setting<String> JWT_ISSUER =
            optional(TOKENS, "jwt-issuer", Kind.text(500), "not checked", "What a token's iss must be.");
    static final Setting<String> JWT_AUDIENCE =
            optional(TOKENS, "jwt-audience", Kind.text(500), "not checked", "What a token's aud must contain.");

    static final Setting<String> JWT_USER_CLAIM = setting(
            TOKENS, "jwt-user-claim", CLAIM, "sub", "The claim with the user's id; many apps use id or userId.");
    static final Setting<String> JWT_NAME_CLAIM =
            setting(TOKENS, "jwt-name-claim", CLAIM, "name", "The claim with the user's name.");
    static final Setting<Duration> JWT_MAX = optional(
            TOKENS,
            "jwt-max-seconds",
            Kind.seconds(60, 31_622_400),
            "no limit",
            "The longest life of a token, from iat to exp; tokens without iat are rejected.");

    static final Setting<Boolean> NAMES_FROM_CLIENTS = setting(
            TOKENS, "names-from-clients", Kind.truth(), "false", "Lets clients with a token choose their username.");

    static final Setting<String> API_KEY = optional(
            API,
            "api-key",
            Kind.key(16, 1_024),
            "only programs on this machine may call; with --insecure, everyone",
            "The key of backends for /api and /metrics.");

    static final Setting<String> API_READ_KEY =
            optional(API, "api-read-key", Kind.key(16, 1_024), "none", "A key that may only read, for dashboards.");
    static final Setting<String> METRICS_KEY = optional(
            API, "metrics-key", Kind.key(16, 1_024), "none", "A key that may only read /metrics, for Prometheus.");
    static final Setting<String> TRUNK_KEY = optional(
            API,
            "trunk-key",
            Kind.key(16, 1_024),
            "none: no /trunk",
            "The key with which app servers open a trunk and act as any user. Beyond loopback, a server without a key for tokens serves only trunks.");

    static final Setting<String> REDIS_URL = optional(
            REDIS,
            "redis-url",
            Urls.redis(),
            "an embedded Redis that ends with the server",
            "The Redis that holds the truth. Nodes that share it share rooms.");
    static final Setting<String> REDIS_PREFIX = optional(
            REDIS,
            "redis-prefix",
            Kind.of(
                    "TEXT",
                    "1 to 64 of the characters A-Z a-z 0-9 . _ ~ @ : -",
                    text -> text.matches("[A-Za-z0-9._~@:-]{1,64}") ? Optional.of(text) : Optional.empty()),
            "none",
            "The start of every key and channel name, to share a Redis.");
    static final Setting<Boolean> ADOPT_KEYS = setting(
            REDIS,
            "adopt-keys",
            Kind.truth(),
            "false",
            "Starts on a Redis with another program's presence keys. The sweep removes those without a live socket.");
    static final Setting<Path> REDIS_CA = optional(
            REDIS,
            "redis-ca",
            Pem.certificates(),
            "the certificates that Java trusts",
            "The CA of Redis' certificate, or that certificate.");
    static final Setting<Path> REDIS_CERT =
            optional(REDIS, "redis-cert", Pem.certificates(), "none", "The client certificate, if Redis asks for one.");
    static final Setting<Path> REDIS_KEY = optional(
            REDIS,
            "redis-key",
            Pem.privateKey(),
            "none",
            "Its private key (PKCS #8). Each new connection reads these files, so renewed ones need no restart.");

    static final Setting<Duration> TTL = setting(
            PRESENCE,
            "ttl-seconds",
            Kind.seconds(2, THIRTY_DAYS),
            "21600",
            "How long a user stays without a heartbeat; more than the grace period. Six hours, so a sleeping phone keeps its place.");
    static final Setting<Duration> HEARTBEAT = setting(
            PRESENCE,
            "heartbeat-seconds",
            Kind.seconds(1, HOUR),
            "25",
            "How often clients send a heartbeat, but at least three times per TTL.");
    static final Setting<Duration> GRACE = setting(
            PRESENCE,
            "grace-seconds",
            Kind.seconds(1, HOUR),
            "15",
            "How long a user stays after their last disconnect. Enough to reload a page or change networks unnoticed.");
    static final Setting<Duration> AWAY = setting(
            PRESENCE,
            "away-seconds",
            Kind.seconds(1, THIRTY_DAYS),
            "1800",
            "How long a user stays, as away, after their paused app fell silent; at most the rest of the TTL.");
    static final Setting<Duration> SWEEP = setting(
            PRESENCE,
            "sweep-seconds",
            Kind.seconds(1, HOUR),
            "30",
            "How often the sweep compares presences with live sockets.");
    static final Setting<Double> SWEEP_SHARE = setting(
            PRESENCE, "sweep-share", Kind.percent(), "5", "How much of Redis' time the scan may take, in percent.");
    static final Setting<Duration> LEASE = setting(
            PRESENCE,
            "lease-seconds",
            Kind.seconds(3, HOUR),
            "15",
            "How long a silent node counts as alive. Nodes renew their lease three times in that time.");
    static final Setting<String> INACTIVITY_MESSAGE = optional(
            PRESENCE,
            "inactivity-message",
            Kind.text(500),
            "\"You have been logged out due to inactivity\" and the TTL in words",
            "The text for a user whose presence expired. {time} stands for the TTL in words.");
    static final Setting<Language> LANGUAGE = setting(
            PRESENCE,
            "language",
            Kind.of("en|id", "en or id", Language::of),
            "en",
            "The language of texts for clients that ask for none, or for an unknown one.");
    static final Setting<Integer> NAMES_LIMIT = setting(
            PRESENCE,
            "names-limit",
            Kind.number(0, 1_000_000),
            "1000",
            "Changes in larger rooms carry no names, which keeps such rooms cheap.");

    static final Setting<Duration> PING_INTERVAL = setting(
            TRANSPORT, "ping-interval-seconds", Kind.seconds(1, HOUR), "25", "How often the server pings a client.");
    static final Setting<Duration> PING_TIMEOUT = setting(
            TRANSPORT, "ping-timeout-seconds", Kind.seconds(1, HOUR), "20", "How long a client may take to answer.");
    static final Setting<Integer> MAX_PAYLOAD = setting(
            TRANSPORT,
            "max-payload-bytes",
            Kind.bytes(100, 100 * MEBIBYTE),
            "100000",
            "The largest message of a client.");
    static final Setting<Integer> SEND_BUFFER = setting(
            TRANSPORT,
            "send-buffer-bytes",
            Kind.bytes(1_024, 1_024 * MEBIBYTE),
            "1048576",
            "How much may wait for a client before the server closes it.");

    static final Setting<Integer> MAX_CONNECTIONS = setting(
            LIMITS,
            "max-connections",
            Kind.number(1, 10_000_000),
            "100000",
            "TCP connections and sessions in all, a tenth only for good tokens. When the rest is full, a newcomer replaces the quietest stranger.");
    static final Setting<Integer> CONNECTIONS_PER_ADDRESS = setting(
            LIMITS,
            "connections-per-address",
            Kind.number(0, 10_000_000),
            "0",
            "The same from one address; 0 for no limit.");
    static final Setting<Integer> EVENTS_PER_SECOND = setting(
            LIMITS,
            "events-per-second",
            Kind.number(0, 1_000_000),
            "50",
            "Events of one socket, in bursts of twice that; 0 for no limit. A user's sockets on a node share four times as many. A list counts once per 100 entries.");
    static final Setting<Integer> SOCKETS_PER_USER = setting(
            LIMITS,
            "sockets-per-user",
            Kind.number(1, 1_000_000),
            "20",
            "Sockets of one user on all nodes; further ones are refused.");
    static final Setting<Integer> ROOMS_PER_SOCKET =
            setting(LIMITS, "rooms-per-socket", Kind.number(1, 1_000_000), "50", "Rooms of one socket.");

    static final Setting<String> LOG_FORMAT = setting(
            LOG, "log-format", Kind.oneOf("text", "json"), "text", "Text for people, or a JSON object per line.");
    static final Setting<String> LOG_LEVEL =
            setting(LOG, "log-level", Kind.oneOf("error", "warn", "info", "debug"), "info", "The lowest level to log.");

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
