package io.hadir.server.cli;

import com.sun.management.UnixOperatingSystemMXBean;
import io.hadir.presence.stats.RedisStatus;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.RedisUrl;
import io.hadir.redis.store.ForeignPresences;
import io.hadir.server.config.Config;
import io.hadir.server.config.ConfigException;
import io.hadir.server.config.ConfigLoader;
import io.hadir.server.config.Flags;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks what anyone helping with a problem would ask first. Changes nothing. */
@Command(
        name = "doctor",
        description = "Checks the settings, Redis and this machine as the server would use them, and says how to fix"
                + " each finding. Takes the server's flags, variables and file.")
final class DoctorCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(6);
    private static final Duration SLOW = Duration.ofMillis(20);
    private static final Duration CLOCKS_APART = Duration.ofSeconds(5);
    private static final int RESERVED_DESCRIPTORS = 150;

    private final Terminal terminal;
    private int findings;

    @Parameters(paramLabel = "FLAG=VALUE", description = "Flags of the server; see hadir --help.")
    List<String> flags = new ArrayList<>();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try {
            ConfigLoader.Loaded loaded = ConfigLoader.load(Flags.parse(flags), terminal.environment());
            good("settings", "understood");
            loaded.warnings().forEach(warning -> finding("settings", warning, "correct or remove it"));
            check(loaded.config());
        } catch (ConfigException wrong) {
            wrong.problems().forEach(problem -> finding("settings", problem, "correct it; the server would not start"));
        }
        terminal.say("");
        terminal.say(findings == 0 ? "Nothing found." : findings == 1 ? "1 finding." : findings + " findings.");
        return findings == 0 ? ExitCode.OK : ExitCode.NO;
    }

    private void good(String what, String words) {
        terminal.say(String.format("ok    %-12s  %s", what, Text.visible(words)));
    }

    private void finding(String what, String words, String advice) {
        findings++;
        say("look", what, words, advice);
    }

    /** Prints advice that applies only to some servers. */
    private void note(String what, String words, String advice) {
        say("note", what, words, advice);
    }

    private void say(String mark, String what, String words, String advice) {
        terminal.say(String.format("%s  %-12s  %s", mark, what, Text.visible(words)));
        terminal.say(" ".repeat(20) + "-> " + advice);
    }

    private void check(Config config) {
        checkTokens(config.auth());
        checkAccess(config);
        checkDescriptors(config.limits().maxConnections());
        String url = config.redis().url();
        if (url == null) {
            finding(
                    "redis",
                    "no --redis-url, so presence ends with the server and nodes cannot share rooms",
                    "set --redis-url, except for trying out");
        } else {
            checkRedis(config.redis(), url);
        }
    }

    private void checkTokens(Config.Auth auth) {
        URI keys = auth.jwksUrl();
        if (auth.trunksOnly()) {
            good("tokens", "no key is configured, so only trunks are served");
            return;
        }
        if (auth.isOpen()) {
            finding(
                    "tokens",
                    "open mode: every client may act as any user",
                    "set --jwt-secret, --jwt-public-key or --jwks-url, except for trying out");
            return;
        }
        good("tokens", "checked with " + auth.shownKey() + "; the user is in the claim " + auth.userClaim());
        if (keys != null) {
            checkPublished(keys);
        }
        if (auth.secret() == null && auth.audience() == null) {
            finding(
                    "tokens",
                    "--jwt-audience is not set, so tokens of the same issuer for other services are accepted",
                    "set it, and --jwt-issuer, if the issuer serves more than this app");
        }
    }

    private void checkPublished(URI keys) {
        try {
            int status = HttpClient.newBuilder()
                    .connectTimeout(PATIENCE)
                    .build()
                    .send(
                            HttpRequest.newBuilder(keys).timeout(PATIENCE).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            if (status == 200) {
                good("tokens", "the keys can be fetched");
            } else {
                finding(
                        "tokens",
                        "--jwks-url answers " + status,
                        "check the address; it must answer 200 with a JWK set");
            }
        } catch (IOException failed) {
            finding(
                    "tokens",
                    "--jwks-url cannot be reached: " + failed.getMessage(),
                    "check the address and the network");
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void checkAccess(Config config) {
        if (config.api().key() == null) {
            finding(
                    "api",
                    "no --api-key, so only programs on this machine may use the API, without a key",
                    "set --api-key, above all behind a proxy on this machine");
        } else {
            good("api", "needs a key");
        }
        boolean limited = config.limits().connectionsPerAddress() > 0;
        if (config.server().trustedProxies().isEmpty()) {
            String effect = limited
                    ? "behind a proxy, all clients share one --connections-per-address"
                    : "behind a proxy, all clients share one address in limits and the log";
            note("proxy", "no --trusted-proxies: " + effect, "behind a proxy, set it to the proxy's address");
        } else {
            good("proxy", "the server believes X-Forwarded-For from the trusted proxies");
        }
    }

    private void checkDescriptors(int connections) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            long most = system.getMaxFileDescriptorCount();
            if (most < (long) connections + RESERVED_DESCRIPTORS) {
                finding(
                        "descriptors",
                        "this user may open " + most + " files, --max-connections is " + connections,
                        "raise ulimit -n (LimitNOFILE in systemd) to " + (connections + RESERVED_DESCRIPTORS)
                                + ", or lower --max-connections");
            } else {
                good("descriptors", most + " files, enough for --max-connections " + connections);
            }
        }
    }

    private void checkRedis(Config.Redis redis, String url) {
        try (RedisLink link = new RedisLink(RedisAddress.parse(url, redis.tls(), redis.prefix()))) {
            try {
                link.open()
                        .toCompletableFuture()
                        .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                        .join();
            } catch (CompletionException late) {
                finding(
                        "redis",
                        link.trouble().orElse(RedisUrl.withoutPassword(url) + " does not answer"),
                        "the message says what is wrong; docs/operate/operations.md has the permissions and URLs");
                return;
            }
            good("redis", RedisUrl.withoutPassword(url) + " answers and permits all that Hadir needs");
            look(get(link.status()));
            compareClocks(link);
            if (!redis.adopt()) {
                get(ForeignPresences.find(link))
                        .ifPresent(key -> finding(
                                "redis",
                                "the key " + key + " belongs to another program; the server would not start",
                                "--redis-prefix to stay apart, or --adopt-keys to take the keys over"));
            }
        }
    }

    private void look(RedisStatus status) {
        String version = String.valueOf(status.version());
        if (version.matches("7\\.0\\..*|7\\.2\\.[0-4]")) {
            finding(
                    "redis",
                    "version " + version + " has known vulnerabilities in Lua",
                    "upgrade, or make sure that your vendor has patched it");
        } else {
            good("redis", "version " + version);
        }
        if (Boolean.TRUE.equals(status.evicting())) {
            finding(
                    "redis",
                    "it evicts keys, and so removes users, when its memory is full",
                    "set maxmemory-policy noeviction");
        } else if (status.evicting() == null) {
            finding("redis", "it does not say whether it evicts keys", "make sure that maxmemory-policy is noeviction");
        } else {
            good("redis", "evicts nothing");
        }
        Duration latency = status.latency();
        if (latency != null) {
            String shown = String.format("%.1f ms for an answer", latency.toNanos() / 1e6);
            if (latency.compareTo(SLOW) > 0) {
                finding("redis", shown, "run Redis in the same place as the server; look at its slow log and CPU");
            } else {
                good("redis", shown);
            }
        }
    }

    private void compareClocks(RedisLink link) {
        Duration apart =
                Duration.between(get(link.time()), terminal.clock().instant()).abs();
        if (apart.compareTo(CLOCKS_APART) > 0) {
            finding(
                    "clock",
                    "this machine's clock and Redis' are " + apart.toSeconds()
                            + " s apart; tokens expire by this machine's",
                    "synchronise both with NTP");
        } else {
            good("clock", "agrees with Redis'");
        }
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
