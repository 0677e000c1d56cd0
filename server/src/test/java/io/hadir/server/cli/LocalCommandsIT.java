package io.hadir.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.auth.Token;
import io.hadir.server.auth.Tokens;
import io.hadir.server.config.Config;
import io.hadir.server.support.TokenMint;
import io.hadir.testing.TestRedis;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Clock;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine.Help.Ansi;

/** The commands that need no running server. */
class LocalCommandsIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        Terminal terminal = new Terminal(
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                environment,
                Ansi.OFF,
                Clock.systemUTC());
        return Cli.run(List.of(arguments), terminal);
    }

    @Test
    void tokenMakesOneThatTheServerAccepts() {
        environment.put("HADIR_JWT_SECRET", TokenMint.SECRET);
        environment.put("HADIR_JWT_USER_CLAIM", "id");
        environment.put("HADIR_JWT_AUDIENCE", "chat");
        assertThat(run("token", "--user", "45", "--name", "Adi", "--rooms", "1,room:2", "--minutes", "5"))
                .isZero();
        Config.Auth auth =
                new Config.Auth(false, TokenMint.SECRET, null, null, null, "chat", null, false, "id", "name");
        Token token = Tokens.of(auth, InstantSource.system())
                .check(out.toString(UTF_8).strip())
                .toCompletableFuture()
                .join()
                .orElseThrow();
        assertThat(token.user()).hasToString("45");
        assertThat(token.name().orElseThrow()).hasToString("Adi");
        assertThat(token.rooms().orElseThrow()).extracting(Object::toString).containsExactlyInAnyOrder("1", "room:2");
    }

    @Test
    void tokenWithoutASecretSaysWhatIsMissing() {
        assertThat(run("token", "--user", "45")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString(UTF_8)).contains("--jwt-secret");
    }

    @Test
    void tokenRefusesWhatTheServerWouldRefuse() {
        environment.put("HADIR_JWT_SECRET", TokenMint.SECRET);
        assertThat(run("token", "--user", "")).isEqualTo(ExitCode.USAGE);
        assertThat(run("token", "--user", "45", "--rooms", "1,presence")).isEqualTo(ExitCode.USAGE);
        assertThat(run("token", "--user", "45", "--minutes", "abc")).isEqualTo(ExitCode.USAGE);
        assertThat(run("token")).isEqualTo(ExitCode.USAGE);
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(err.toString(UTF_8).lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("hadir: \"\": userId is not valid (expected: "),
                        line -> assertThat(line).startsWith("hadir: \"presence\": roomId is not valid"),
                        line -> assertThat(line).isEqualTo("hadir: --minutes: abc (expected: a whole number)"),
                        line -> assertThat(line).isEqualTo("hadir: --user USER: missing (see: hadir token --help)"));
    }

    @Test
    void doctorFindsNothingWithoutAProxy() {
        environment.put("HADIR_REDIS_URL", REDIS.url());
        environment.put("HADIR_JWT_SECRET", TokenMint.SECRET);
        environment.put("HADIR_API_KEY", "a-key-of-many-characters");
        run("doctor", "--max-connections=100");
        assertThat(out.toString(UTF_8).lines().filter(line -> line.startsWith("look")))
                .allMatch(line -> line.contains("vulnerabilities"), "nothing but the version of the tests' Redis");
        assertThat(out.toString(UTF_8)).contains("note  proxy");
    }

    @Test
    void doctorSaysWhatToDoAboutEachFinding() {
        environment.put("HADIR_REDIS_URL", REDIS.url());
        REDIS.cli().configSet("maxmemory-policy", "allkeys-lru");
        try {
            assertThat(run("doctor", "--max-connections=1000000")).isEqualTo(ExitCode.NO);
        } finally {
            REDIS.cli().configSet("maxmemory-policy", "noeviction");
        }
        assertThat(out.toString(UTF_8))
                .contains(
                        "open mode", "set --jwt-secret", "noeviction", "ulimit -n", "agrees with Redis'", "findings.");
    }

    @Test
    void doctorNamesARedisThatDoesNotAnswer() {
        assertThat(run("doctor", "--redis-url=redis://127.0.0.1:1")).isEqualTo(ExitCode.NO);
        assertThat(out.toString(UTF_8)).contains("127.0.0.1:1", "nothing listens there");
    }

    @Test
    void doctorNamesASettingThatIsWrong() {
        assertThat(run("doctor", "--port=abc")).isEqualTo(ExitCode.NO);
        assertThat(out.toString(UTF_8)).contains("--port: abc", "1 finding.");
    }

    @Test
    void aCommandThatIsAlmostRightIsSuggested() {
        assertThat(run("room")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString(UTF_8)).contains("did you mean rooms?");
        assertThat(run("help", "nonsense")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString(UTF_8)).contains("nonsense: unknown command");
    }

    @Test
    void theOverviewHasEveryCommandInGroups() {
        assertThat(Cli.overview())
                .contains("Look", "Remove users", "Check", "Try out")
                .contains("rooms", "who", "user", "explain", "watch", "stats", "kick", "bans", "unban", "disconnect")
                .contains("audit", "doctor", "token", "redis", "torture", "completion", "help");
        assertThat(Cli.overview().lines())
                .allMatch(line -> line.length() < 100)
                .noneMatch(line -> line.matches("[a-z].*"));
    }

    @Test
    void completionKnowsCommandsAndFlags() {
        assertThat(run("completion")).isZero();
        assertThat(out.toString(UTF_8)).contains("doctor", "explain", "--redis-prefix", "complete -F");
        assertThat(out.toString(UTF_8)).containsPattern("local commands=\"[^\"]*\\bserve\\b[^\"]*\\btorture\\b");
        assertThat(out.toString(UTF_8))
                .containsPattern("(?s)_picocli_hadir_doctor\\(\\).*--redis-url.*_picocli_hadir_token\\(\\)");
    }

    @Test
    void onePresenceIsNotPlural() {
        assertThat(Text.count(1, "presence")).isEqualTo("1 presence");
        assertThat(Text.count(0, "presence")).isEqualTo("0 presences");
    }
}
