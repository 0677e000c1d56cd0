package io.hadir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTest {
    @TempDir
    Path folder;

    @Test
    void nothingSetGivesTheDefaultsOfTheContract() {
        Config config = Config.defaults();

        assertThat(config.server()).isEqualTo(new ServerConfig("127.0.0.1", 8080, List.of(), false));
        assertThat(config.redis().url()).isNull();
        assertThat(config.presence())
                .isEqualTo(new PresenceConfig(
                        Duration.ofHours(6),
                        Duration.ofSeconds(25),
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(15),
                        null,
                        1000));
        assertThat(config.transport())
                .isEqualTo(new TransportConfig(
                        Duration.ofSeconds(25),
                        Duration.ofSeconds(20),
                        100_000,
                        1_048_576,
                        Duration.ofSeconds(45),
                        Duration.ofSeconds(10)));
        assertThat(config.limits()).isEqualTo(new LimitConfig(100_000, 0, 50, 20, 50));
    }

    @Test
    void aFlagOutweighsAVariableAndAVariableTheFile() throws Exception {
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
    void everyErrorIsReportedAtOnceAndSaysWhereItIs() throws Exception {
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
                        "--ttl-seconds: 10 (expected: more than the grace of 15 seconds)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"08x", "", " 80", "-1", "+1", "1e3", "080", "0x50", "99999999999", "65536", "80.0", "٨"})
    void aNumberIsPlainDigitsWithinItsRange(String text) {
        assertThat(problems("--port=" + text))
                .singleElement()
                .asString()
                .startsWith("--port: ")
                .endsWith(" (expected: a whole number from 0 to 65535)");
    }

    @Test
    void theYamlFileIsAsStrictAsTheFlags() throws Exception {
        for (String text : List.of("1e3", "0x50", "080", "8_0", "80.0", "true", "-1")) {
            assertThat(problems("--config=" + file("port: " + text + "\n")))
                    .containsExactly(folder.resolve("hadir.yml") + ":1: port: " + text
                            + " (expected: a whole number from 0 to 65535)");
        }
    }

    @Test
    void anEmptyValueIsShownInQuotes() {
        assertThat(problems(Map.of("HADIR_PORT", "")))
                .containsExactly("HADIR_PORT: \"\" (expected: a whole number from 0 to 65535)");
    }

    @Test
    void aBadValueCountsEvenWhereAFlagOutweighsIt() {
        assertThat(problems(Map.of("HADIR_PORT", "x"), "--port=1"))
                .containsExactly("HADIR_PORT: x (expected: a whole number from 0 to 65535)");
    }

    @Test
    void portZeroMeansAnyFreeOne() {
        assertThat(load("--port=0").server().port()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"--insecure,true", "--insecure=true,true", "--insecure=false,false"})
    void insecureWorksBareAndWithAValue(String flag, boolean expected) {
        assertThat(load(flag, "--port=1").server().insecure()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "TRUE", "1", ""})
    void aTruthIsTrueOrFalseAndNothingElse(String text) {
        assertThat(problems("--insecure=" + text)).singleElement().asString().contains("(expected: true or false)");
    }

    @Test
    void serveMayComeFirstAndChangesNothing() {
        assertThat(load("serve", "--port=1")).isEqualTo(load("--port=1"));
        assertThat(problems("serve", "serve"))
                .containsExactly("serve: unknown argument (expected: flags only, see --help)");
    }

    @Test
    void aFlagNeedsAValueAndComesOnce() {
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
    void flagsOfSettingsThatAreNotThereYetAreUnknown() {
        assertThat(problems("--jwt-secret=x")).singleElement().asString().startsWith("--jwt-secret: unknown flag");
    }

    @Test
    void anUnknownVariableIsOnlyAWarning() {
        Map<String, String> environment =
                Map.of("HADIR_PROT", "1", "HADIR_JAVA_OPTS", "-Xmx1g", "HADIRX", "1", "PATH", "/bin");

        assertThat(ConfigLoader.load(Flags.parse(List.of()), environment).warnings())
                .containsExactly("HADIR_PROT: unknown variable, ignored (did you mean HADIR_PORT?)");
    }

    @Test
    void theTtlIsMoreThanTheGraceAndTheOneThatWasSetIsNamed() {
        assertThat(problems("--ttl-seconds=15"))
                .containsExactly("--ttl-seconds: 15 (expected: more than the grace of 15 seconds)");
        assertThat(problems("--ttl-seconds=16", "--grace-seconds=16"))
                .containsExactly("--ttl-seconds: 16 (expected: more than the grace of 16 seconds)");
        assertThat(problems(Map.of("HADIR_TTL_SECONDS", "16"), "--grace-seconds=20"))
                .containsExactly("HADIR_TTL_SECONDS: 16 (expected: more than the grace of 20 seconds)");
        assertThat(load("--ttl-seconds=16").presence().ttl()).isEqualTo(Duration.ofSeconds(16));
    }

    @Test
    void aHeartbeatThatComesAfterTheTtlIsAWarning() {
        ConfigLoader.Loaded loaded = ConfigLoader.load(Flags.parse(List.of("--ttl-seconds=20")), Map.of());

        assertThat(loaded.warnings()).singleElement().asString().contains("heartbeat-seconds: 25 seconds");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.8.9.10",
                "localhost",
                "LocalHost",
                "::1",
                "[::1]",
                "0:0:0:0:0:0:0:1",
                "::ffff:127.0.0.1"
            })
    void openModeListensOnLoopback(String host) {
        assertThat(load("--host=" + host).server().host()).isEqualTo(host.replaceAll("[\\[\\]]", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.168.0.7", "128.0.0.1", "example.org", "localhost.example.org", "::2"})
    void openModeListensElsewhereOnlyWhenToldThatItIsInsecure(String host) {
        assertThat(problems("--host=" + host))
                .singleElement()
                .asString()
                .startsWith("--host: " + host + " (expected: a loopback address")
                .contains("--insecure");
        assertThat(load("--host=" + host, "--insecure").server().host()).isEqualTo(host);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "127.1",
                "0",
                "1.2.3.256",
                "1.2.3.4.",
                "a b",
                "-a",
                "a..b",
                "http://a",
                "a:80",
                ":::",
                "[a]",
                "[::1"
            })
    void aHostIsAnAddressOrAName(String host) {
        assertThat(problems("--insecure", "--host=" + host))
                .singleElement()
                .asString()
                .contains("(expected: an IP address or a host name)");
    }

    @Test
    void originsAreKeptAsBrowsersWriteThem() {
        assertThat(
                        load("--allowed-origins=*, https://Example.org:443 ,http://localhost:3000,http://[::1]:80,capacitor://localhost")
                                .server()
                                .allowedOrigins())
                .containsExactly(
                        "*", "https://example.org", "http://localhost:3000", "http://[::1]", "capacitor://localhost");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "https://a,",
                "https://a/",
                "a.org",
                "https://",
                "https://a:0",
                "https://a:65536",
                "https://*.a",
                "null",
                "https://u@a"
            })
    void anOriginIsASchemeAHostAndPerhapsAPort(String text) {
        assertThat(problems("--allowed-origins=" + text))
                .singleElement()
                .asString()
                .contains("scheme://host[:port]");
    }

    @Test
    void originsMayBeAListInTheFile() throws Exception {
        Path file = file("allowed-origins:\n  - https://a.org\n  - http://b.org:81\n");

        assertThat(load("--config=" + file).server().allowedOrigins())
                .containsExactly("https://a.org", "http://b.org:81");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://localhost",
                "redis://:p@ss@10.0.0.1:6379/2?timeout=1s",
                "rediss://user:secret@redis.example.org:6380",
                "redis://[::1]:6379",
                "redis-sentinel://a:26379,b:26379/0#master",
                "redis-cluster://a:7000,b:7001"
            })
    void aRedisUrlIsOneOfFourForms(String url) {
        assertThat(load("--redis-url=" + url).redis().url()).isEqualTo(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost:6379",
                "http://a",
                "redis://",
                "redis://a,b",
                "redis://a/x",
                "redis-sentinel://a:1",
                "redis://a b"
            })
    void anythingElseIsNoRedisUrl(String url) {
        assertThat(problems("--redis-url=" + url)).singleElement().asString().contains("redis-cluster://host:port");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"redis://:s3cret@host/bad path", "s3cret@", "redis//u:s3cret@host", "redis://u:s3cret@h@x y"})
    void aPasswordIsNeverShown(String url) {
        assertThat(problems("--redis-url=" + url)).singleElement().asString().doesNotContain("s3cret");
        assertThat(new RedisConfig(url).toString()).doesNotContain("s3cret");
    }

    @Test
    void aMessageHasNoControlCharactersAndAnEnd() {
        assertThat(load("--inactivity-message=Bye 👋").presence().inactivityMessage())
                .isEqualTo("Bye 👋");
        assertThat(problems("--inactivity-message=" + "x".repeat(501))).hasSize(1);
        assertThat(problems("--inactivity-message=a\nforged: line"))
                .containsExactly(
                        "--inactivity-message: a?forged: line (expected: 1 to 500 characters, none of them a control character)");
    }

    @Test
    void aFileThatIsEmptyOrAllCommentsSetsNothing() throws Exception {
        assertThat(load("--config=" + file(""))).isEqualTo(Config.defaults());
        assertThat(load("--config=" + file("# port: 1\n\n"))).isEqualTo(Config.defaults());
    }

    @Test
    void hadirConfigNamesTheFileToo() throws Exception {
        Map<String, String> environment =
                Map.of("HADIR_CONFIG", file("port: 7\n").toString());

        assertThat(load(environment).server().port()).isEqualTo(7);
    }

    @Test
    void aKeyComesOnce() throws Exception {
        Path file = file("port: 1\nhost: localhost\nport: 2\n");

        assertThat(problems("--config=" + file)).containsExactly(file + ":3: port: given twice (expected: once)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "port:",
                "port: null",
                "port: [1]",
                "port: {a: 1}",
                "host: &x localhost\nport: *x",
                "port:\n  - 1\n  - [2]"
            })
    void aValueIsPlain(String yaml) throws Exception {
        assertThat(problems("--config=" + file(yaml + "\n")))
                .singleElement()
                .asString()
                .contains("port: no plain value (expected: a whole number");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "- port",
                "just text",
                "8080",
                "port: 'open",
                "{",
                "\tport: 1",
                "port: 1: c",
                "port: 1\n---\nport: 2"
            })
    void aFileThatIsNotOneMapIsAnErrorThatNamesIt(String yaml) throws Exception {
        Path file = file(yaml + "\n");

        assertThat(problems("--config=" + file)).singleElement().asString().startsWith(file + ":");
    }

    @Test
    void aFileThatCannotBeReadIsAnErrorThatNamesTheFlag() throws Exception {
        Path binary = Files.write(folder.resolve("binary"), "port: \u00ff".getBytes(StandardCharsets.ISO_8859_1));

        assertThat(problems("--config=" + folder.resolve("none.yml")))
                .singleElement()
                .asString()
                .startsWith("--config: ")
                .endsWith("none.yml (expected: a file that exists)");
        assertThat(problems(Map.of("HADIR_CONFIG", folder.toString())))
                .singleElement()
                .asString()
                .startsWith("HADIR_CONFIG: ")
                .endsWith("(expected: a regular file of at most 1 MiB)");
        assertThat(problems("--config=" + binary))
                .singleElement()
                .asString()
                .endsWith("(expected: a text file in UTF-8)");
        assertThat(problems("--config=")).singleElement().asString().endsWith("(expected: the path of a YAML file)");
    }

    @Test
    void theFileCannotNameAnotherFile() throws Exception {
        Path file = file("config: other.yml\n");

        assertThat(problems("--config=" + file)).containsExactly(file + ":1: config: unknown key");
    }

    @Test
    void theHelpNamesEveryFlagItsVariableAndItsDefault() {
        String help = Flags.helpText().replaceAll("\\s+", " ");

        assertThat(Settings.ALL)
                .allSatisfy(setting -> assertThat(help)
                        .contains(
                                setting.flag(),
                                "Default: " + setting.shownDefault() + ". Or " + setting.variable() + "."));
        assertThat(help).contains("--config", "--help", "--version", "Exit codes");
        assertThat(Flags.helpText().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void everyDefaultIsOfItsOwnKind() {
        assertThatThrownBy(() -> load("--port=x")).isInstanceOf(ConfigException.class);
        assertThat(Settings.ALL).allSatisfy(setting -> {
            String fallback = setting.fallback();
            if (fallback != null) {
                assertThat(setting.kind().parser().apply(fallback)).isPresent();
            }
            assertThat(setting.shownDefault()).isNotEmpty();
            assertThat(setting.about()).endsWith(".");
        });
    }

    private Path file(String yaml) throws Exception {
        return Files.writeString(folder.resolve("hadir.yml"), yaml);
    }

    private static Config load(String... arguments) {
        return load(Map.of(), arguments);
    }

    private static Config load(Map<String, String> environment, String... arguments) {
        return ConfigLoader.load(Flags.parse(List.of(arguments)), environment).config();
    }

    private static List<String> problems(String... arguments) {
        return problems(Map.of(), arguments);
    }

    private static List<String> problems(Map<String, String> environment, String... arguments) {
        try {
            load(environment, arguments);
            return List.of();
        } catch (ConfigException e) {
            return e.problems();
        }
    }
}
