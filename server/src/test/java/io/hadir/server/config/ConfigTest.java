package io.hadir.server.config;

import static io.hadir.server.config.Loading.load;
import static io.hadir.server.config.Loading.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.wire.Texts;
import io.hadir.socketio.engine.TransportConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigTest {
    @TempDir
    Path folder;

    @Test
    void withoutSettingsTheDefaultsAreThoseOfTheContract() {
        Config config = Config.defaults();

        assertThat(config.server())
                .isEqualTo(new Config.Server(
                        "127.0.0.1", 8080, "/socket.io/", null, Config.Pages.ALL, List.of(), Networks.NONE, false));
        assertThat(config.auth()).isEqualTo(new Config.Auth(null, null, null, null, null, null));
        assertThat(config.redis().url()).isNull();
        assertThat(config.presence())
                .isEqualTo(new Config.Presence(
                        Duration.ofHours(6),
                        Duration.ofSeconds(25),
                        Duration.ofSeconds(15),
                        Duration.ofMinutes(30),
                        Duration.ofSeconds(30),
                        5,
                        Duration.ofSeconds(15),
                        1000));
        assertThat(config.texts()).isEqualTo(Texts.STANDARD);
        assertThat(config.transport())
                .isEqualTo(new TransportConfig(
                        Duration.ofSeconds(25),
                        Duration.ofSeconds(20),
                        100_000,
                        1_048_576,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10)));
        assertThat(config.limits()).isEqualTo(new Config.Limits(100_000, 0, 50, 20, 50));
    }

    @Test
    void aFlagOverridesAVariableAndAVariableTheFile() throws Exception {
        Path file = file("port: 1\nttl-seconds: 100\ngrace-seconds: 7\n");
        Map<String, String> environment = Map.of("HADIR_PORT", "2", "HADIR_TTL_SECONDS", "200");

        Config config = load(environment, "--config=" + file, "--port=3");

        assertThat(config.server().port()).isEqualTo(3);
        assertThat(config.presence().ttl()).isEqualTo(Duration.ofSeconds(200));
        assertThat(config.presence().grace()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void everySettingCanBeAFlagAVariableAndAKey() throws Exception {
        for (Setting<?> setting : Settings.ALL) {
            String bad = setting.equals(Settings.INACTIVITY_MESSAGE) ? " " : "not this!";

            assertThat(problems(setting.flag() + "=" + bad))
                    .singleElement()
                    .satisfies(line -> assertThat(line).startsWith(setting.flag() + ": "));
            assertThat(problems(Map.of(setting.variable(), bad)))
                    .singleElement()
                    .satisfies(line -> assertThat(line).startsWith(setting.variable() + ": "));
            assertThat(problems("--config=" + file(setting.name() + ": '" + bad + "'\n")))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("hadir.yml:1: " + setting.name() + ": "));
        }
    }

    @Test
    void allErrorsAreReportedAtOnceWithTheirPlaces() throws Exception {
        Path file = file("# a comment\nsweep-seconds: often\nprot: 80\n");

        assertThat(problems(
                        Map.of("HADIR_LEASE_SECONDS", "2"),
                        "--config=" + file,
                        "--port=abc",
                        "--ttl-seconds=10",
                        "--hosts=x"))
                .containsExactlyInAnyOrder(
                        "--hosts: unknown flag (did you mean --host?)",
                        file + ":3: prot: unknown key (did you mean port?)",
                        "--port: abc (expected: a whole number from 0 to 65535)",
                        file + ":2: sweep-seconds: often (expected: whole seconds from 1 to 3600)",
                        "HADIR_LEASE_SECONDS: 2 (expected: whole seconds from 3 to 3600)",
                        "--ttl-seconds: 10 (expected: more than the grace period of 15 seconds)");
    }

    @Test
    void aBadValueIsReportedEvenIfAFlagOverridesIt() {
        assertThat(problems(Map.of("HADIR_PORT", "x"), "--port=1"))
                .containsExactly("HADIR_PORT: x (expected: a whole number from 0 to 65535)");
    }

    @Test
    void serveMayComeFirstAndChangesNothing() {
        assertThat(load("serve", "--port=1")).isEqualTo(load("--port=1"));
        assertThat(problems("serve", "serve"))
                .containsExactly("serve: unknown argument (expected: flags only, see --help)");
    }

    @Test
    void aFlagNeedsAValueAndMayAppearOnlyOnce() {
        assertThat(problems("--port")).containsExactly("--port: no value (expected: a whole number from 0 to 65535)");
        assertThat(problems("--host", "--port=1"))
                .containsExactly("--host: no value (expected: an IP address or a host name)");
        assertThat(problems("--port=1", "--port=2")).containsExactly("--port: given twice (expected: once)");
    }

    @Test
    void theValueOfAnUnknownFlagIsNotASecondError() {
        assertThat(problems("--prot", "80")).containsExactly("--prot: unknown flag (did you mean --port?)");
        assertThat(problems("-x", "--zzzzzz=1")).containsExactly("-x: unknown flag", "--zzzzzz: unknown flag");
    }

    @Test
    void anUnknownVariableIsOnlyAWarning() {
        Map<String, String> environment =
                Map.of("HADIR_PROT", "1", "HADIR_JAVA_OPTS", "-Xmx1g", "HADIRX", "1", "PATH", "/bin");

        assertThat(ConfigLoader.load(Flags.parse(List.of()), environment).warnings())
                .containsExactly("HADIR_PROT: unknown variable, ignored (did you mean HADIR_PORT?)");
    }

    @Test
    void theTtlMustExceedTheGracePeriodAndTheGivenSettingIsNamed() {
        assertThat(problems("--ttl-seconds=15"))
                .containsExactly("--ttl-seconds: 15 (expected: more than the grace period of 15 seconds)");
        assertThat(problems("--ttl-seconds=16", "--grace-seconds=16"))
                .containsExactly("--ttl-seconds: 16 (expected: more than the grace period of 16 seconds)");
        assertThat(problems(Map.of("HADIR_TTL_SECONDS", "16"), "--grace-seconds=20"))
                .containsExactly("HADIR_TTL_SECONDS: 16 (expected: more than the grace period of 20 seconds)");
        assertThat(load("--ttl-seconds=16").presence().ttl()).isEqualTo(Duration.ofSeconds(16));
    }

    @Test
    void theHelpNamesEveryFlagItsVariableAndItsDefault() {
        String help = Flags.helpText("").replaceAll("\\s+", " ");

        assertThat(Settings.ALL)
                .allSatisfy(setting -> assertThat(help)
                        .contains(
                                setting.flag(),
                                "Default: " + setting.shownDefault() + ". Or " + setting.variable() + "."));
        assertThat(help).contains("--config", "--help", "--version", "Exit codes");
        assertThat(Flags.helpText("").lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
    }

    private Path file(String yaml) throws Exception {
        return Files.writeString(folder.resolve("hadir.yml"), yaml);
    }
}
