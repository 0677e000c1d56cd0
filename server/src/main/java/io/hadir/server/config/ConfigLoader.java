package io.hadir.server.config;

import io.hadir.presence.room.RemovalReason;
import io.hadir.redis.link.RedisTls;
import io.hadir.redis.link.RedisUrl;
import io.hadir.server.config.Setting.Given;
import io.hadir.server.wire.Language;
import io.hadir.server.wire.Texts;
import io.hadir.socketio.engine.TransportConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Combines flags, environment variables and the file, in this order of precedence, into a checked {@link Config}. */
public final class ConfigLoader {
    private final Map<Setting<?>, Given> given = new HashMap<>();
    private final Map<Setting<?>, Object> values = new HashMap<>();
    private final Map<Language, Map<RemovalReason, String>> texts = new EnumMap<>(Language.class);
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private ConfigLoader() {}

    /**
     * A usable configuration.
     *
     * @param warnings one line each, about ignored or unwise settings
     */
    public record Loaded(Config config, List<String> warnings) {}

    /** Reads every value that was given; a bad one is a problem even if another overrides it. */
    public static Loaded load(Flags flags, Map<String, String> environment) {
        ConfigLoader loader = new ConfigLoader();
        loader.problems.addAll(flags.problems());
        loader.read(flags, new TreeMap<>(environment));
        loader.checkTogether();
        if (!loader.problems.isEmpty()) {
            throw new ConfigException(loader.problems);
        }
        return new Loaded(loader.config(), List.copyOf(loader.warnings));
    }

    /** Whether there is a file. */
    public static boolean hasFile(Flags flags, Map<String, String> environment) {
        return flags.values().containsKey(Settings.FILE.name()) || environment.containsKey(Settings.FILE.variable());
    }

    private void read(Flags flags, Map<String, String> environment) {
        readOne(Settings.FILE, flags, environment, Map.of());
        Path path = find(Settings.FILE);
        Map<String, Given> fromFile = Map.of();
        if (path != null) {
            ConfigFile file = ConfigFile.read(Objects.requireNonNull(given.get(Settings.FILE)), path);
            problems.addAll(file.problems());
            fromFile = file.values();
            file.texts().forEach((language, own) -> texts.put(language, new HashMap<>(own)));
        }
        for (Setting<?> setting : Settings.ALL) {
            readOne(setting, flags, environment, fromFile);
        }
        warnOfUnknown(environment);
    }

    private void readOne(
            Setting<?> setting, Flags flags, Map<String, String> environment, Map<String, Given> fromFile) {
        String flag = flags.values().get(setting.name());
        String variable = environment.get(setting.variable());
        // The last one wins.
        take(setting, setting.fallback() == null ? null : new Given("default", setting.fallback()));
        accept(setting, fromFile.get(setting.name()));
        accept(setting, variable == null ? null : new Given(setting.variable(), variable));
        accept(setting, flag == null ? null : new Given(setting.flag(), flag));
    }

    private void accept(Setting<?> setting, @Nullable Given value) {
        if (value != null) {
            given.put(setting, value);
            take(setting, value);
        }
    }

    private void take(Setting<?> setting, @Nullable Given value) {
        if (value != null) {
            setting.kind().parser().apply(value.text()).ifPresentOrElse(parsed -> values.put(setting, parsed), () -> {
                values.remove(setting);
                problems.add(setting.problem(value, setting.kind().expected()));
            });
        }
    }

    private void warnOfUnknown(Map<String, String> environment) {
        List<String> known = new ArrayList<>(Settings.FOREIGN_VARIABLES);
        known.add(Settings.FILE.variable());
        Settings.ALL.forEach(setting -> known.add(setting.variable()));
        environment.keySet().stream()
                .filter(name -> name.startsWith(Setting.VARIABLE_PREFIX) && !known.contains(name))
                .forEach(
                        name -> warnings.add(Problem.unknown(name, "unknown variable, ignored", name, known.stream())));
    }

    private void checkTogether() {
        Duration ttl = find(Settings.TTL);
        Duration grace = find(Settings.GRACE);
        if (ttl != null && grace != null && ttl.compareTo(grace) <= 0) {
            if (given.containsKey(Settings.TTL)) {
                reject(Settings.TTL, "more than the grace period of " + grace.toSeconds() + " seconds");
            } else {
                reject(Settings.GRACE, "less than the TTL of " + ttl.toSeconds() + " seconds");
            }
        }
        List<Setting<?>> keys =
                Settings.TOKEN_KEYS.stream().filter(given::containsKey).toList();
        checkTokens(keys);
        checkTls();
        checkKeys();
        String host = find(Settings.HOST);
        if (host != null && isUnprotected(host) && !given.containsKey(Settings.TRUNK_KEY)) {
            reject(
                    Settings.HOST,
                    "a loopback address such as 127.0.0.1, because in open mode every client may act as any user;"
                            + " --insecure allows others");
        }
    }

    /** Whether other machines could connect without a token although {@code --insecure} is not set. */
    private boolean isUnprotected(String host) {
        return hasNoTokenKey() && !Host.isLoopback(host) && Boolean.FALSE.equals(find(Settings.INSECURE));
    }

    private void checkTokens(List<Setting<?>> keys) {
        keys.stream().skip(1).forEach(key -> reject(key, "only one of --jwt-secret, --jwt-public-key and --jwks-url"));
        if (keys.isEmpty()) {
            Stream.of(Settings.JWT_ISSUER, Settings.JWT_AUDIENCE, Settings.JWT_MAX)
                    .filter(values::containsKey)
                    .forEach(claim -> reject(
                            claim,
                            "together with --jwt-secret, --jwt-public-key or --jwks-url, because open mode has no"
                                    + " tokens"));
        }
        URI url = find(Settings.JWKS_URL);
        if (url != null && Urls.isPlainHttp(url)) {
            warnings.add(Settings.JWKS_URL.name()
                    + ": plain http, so an attacker on the network can replace the keys; use https");
        }
    }

    private void checkKeys() {
        String key = find(Settings.API_KEY);
        String readKey = find(Settings.API_READ_KEY);
        if (readKey != null && key == null) {
            reject(
                    Settings.API_READ_KEY,
                    "together with --api-key, because without one local programs may do everything");
        }
        if (readKey != null && readKey.equals(key)) {
            reject(Settings.API_READ_KEY, "another key than --api-key");
        }
        String metricsKey = find(Settings.METRICS_KEY);
        if (metricsKey != null && (metricsKey.equals(key) || metricsKey.equals(readKey))) {
            reject(Settings.METRICS_KEY, "another key than --api-key and --api-read-key");
        }
        Config.Address admin = admin();
        if (admin != null
                && admin.port() != 0
                && admin.equals(new Config.Address(get(Settings.HOST), get(Settings.PORT)))) {
            reject(
                    given.containsKey(Settings.ADMIN_PORT) ? Settings.ADMIN_PORT : Settings.ADMIN_HOST,
                    "another address than --host and --port");
        }
    }

    /** Null if it is the public address, or something about it is wrong. */
    private Config.@Nullable Address admin() {
        if (!given.containsKey(Settings.ADMIN_HOST) && !given.containsKey(Settings.ADMIN_PORT)) {
            return null;
        }
        String host = find(given.containsKey(Settings.ADMIN_HOST) ? Settings.ADMIN_HOST : Settings.HOST);
        Integer port = find(given.containsKey(Settings.ADMIN_PORT) ? Settings.ADMIN_PORT : Settings.PORT);
        return host == null || port == null || find(Settings.HOST) == null || find(Settings.PORT) == null
                ? null
                : new Config.Address(host, port);
    }

    private boolean hasNoTokenKey() {
        return Settings.TOKEN_KEYS.stream().noneMatch(given::containsKey);
    }

    private Config.Pages pages() {
        String pages = find(Settings.PAGES);
        boolean open = hasNoTokenKey() && !isUnprotected(get(Settings.HOST));
        return pages == null
                ? open ? Config.Pages.ALL : Config.Pages.DASHBOARD
                : Config.Pages.valueOf(pages.toUpperCase(Locale.ROOT));
    }

    private void checkTls() {
        String url = find(Settings.REDIS_URL);
        if (url == null || !RedisUrl.isTls(url)) {
            Stream.of(Settings.REDIS_CA, Settings.REDIS_CERT, Settings.REDIS_KEY)
                    .filter(file -> find(file) != null)
                    .forEach(file -> reject(file, "together with a --redis-url that begins with rediss"));
        } else if (given.containsKey(Settings.REDIS_CERT) != given.containsKey(Settings.REDIS_KEY)) {
            Stream.of(Settings.REDIS_CERT, Settings.REDIS_KEY)
                    .filter(file -> find(file) != null)
                    .forEach(file -> reject(file, "both --redis-cert and --redis-key, or neither"));
        }
    }

    private void reject(Setting<?> setting, String expected) {
        problems.add(setting.problem(Objects.requireNonNull(given.get(setting)), expected));
    }

    private Config config() {
        List<String> origins = find(Settings.ALLOWED_ORIGINS);
        Networks proxies = find(Settings.TRUSTED_PROXIES);
        String prefix = find(Settings.REDIS_PREFIX);
        return new Config(
                new Config.Server(
                        get(Settings.HOST),
                        get(Settings.PORT),
                        get(Settings.PATH),
                        admin(),
                        pages(),
                        origins == null ? List.of() : origins,
                        proxies == null ? Networks.NONE : proxies,
                        get(Settings.INSECURE)),
                new Config.Auth(
                        isUnprotected(get(Settings.HOST)),
                        find(Settings.JWT_SECRET),
                        find(Settings.JWT_PUBLIC_KEY),
                        find(Settings.JWKS_URL),
                        find(Settings.JWT_ISSUER),
                        find(Settings.JWT_AUDIENCE),
                        find(Settings.JWT_MAX),
                        get(Settings.NAMES_FROM_CLIENTS),
                        get(Settings.JWT_USER_CLAIM),
                        get(Settings.JWT_NAME_CLAIM)),
                new Config.Redis(
                        find(Settings.REDIS_URL),
                        new RedisTls(find(Settings.REDIS_CA), find(Settings.REDIS_CERT), find(Settings.REDIS_KEY)),
                        prefix == null ? "" : prefix,
                        get(Settings.ADOPT_KEYS)),
                new Config.Presence(
                        get(Settings.TTL),
                        get(Settings.HEARTBEAT),
                        get(Settings.GRACE),
                        get(Settings.AWAY),
                        get(Settings.SWEEP),
                        get(Settings.SWEEP_SHARE),
                        get(Settings.LEASE),
                        get(Settings.NAMES_LIMIT)),
                texts(),
                new TransportConfig(
                        get(Settings.PING_INTERVAL),
                        get(Settings.PING_TIMEOUT),
                        get(Settings.MAX_PAYLOAD),
                        get(Settings.SEND_BUFFER),
                        TransportConfig.CONNECT_TIMEOUT,
                        TransportConfig.UPGRADE_TIMEOUT),
                new Config.Limits(
                        get(Settings.MAX_CONNECTIONS),
                        get(Settings.CONNECTIONS_PER_ADDRESS),
                        get(Settings.EVENTS_PER_SECOND),
                        get(Settings.SOCKETS_PER_USER),
                        get(Settings.ROOMS_PER_SOCKET)),
                new Config.Api(find(Settings.API_KEY), find(Settings.API_READ_KEY), find(Settings.METRICS_KEY)),
                new Config.Trunk(find(Settings.TRUNK_KEY)),
                new Config.Log(get(Settings.LOG_FORMAT), get(Settings.LOG_LEVEL)));
    }

    private Texts texts() {
        String inactivity = find(Settings.INACTIVITY_MESSAGE);
        if (inactivity != null) {
            for (Language language : Language.values()) {
                texts.computeIfAbsent(language, none -> new HashMap<>())
                        .putIfAbsent(RemovalReason.INACTIVITY_TIMEOUT, inactivity);
            }
        }
        return new Texts(get(Settings.LANGUAGE), texts);
    }

    private <T> T get(Setting<T> setting) {
        return Objects.requireNonNull(find(setting), setting.name());
    }

    @SuppressWarnings("unchecked") // take() stores only what the setting's own parser returned
    private <T> @Nullable T find(Setting<T> setting) {
        return (T) values.get(setting);
    }
}
