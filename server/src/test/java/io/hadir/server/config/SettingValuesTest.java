package io.hadir.server.config;

import static io.hadir.server.config.Loading.load;
import static io.hadir.server.config.Loading.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RemovalReason;
import io.hadir.redis.link.RedisTls;
import io.hadir.server.wire.Language;
import io.hadir.testing.Certificates;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingValuesTest {
    @ParameterizedTest
    @ValueSource(strings = {"08x", "", " 80", "-1", "+1", "1e3", "080", "0x50", "99999999999", "65536", "80.0", "٨"})
    void aNumberIsPlainDigitsWithinItsRange(String text) {
        assertThat(problems("--port=" + text))
                .singleElement()
                .asString()
                .startsWith("--port: ")
                .endsWith(" (expected: a whole number from 0 to 65535)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.0", "100.1", "101", "-5", "5%", "", "1e1", "05", ".5", "NaN", "5."})
    void aShareIsAPercentageAboveZero(String text) {
        assertThat(problems("--sweep-share=" + text))
                .singleElement()
                .asString()
                .startsWith("--sweep-share: ")
                .endsWith(" (expected: a number above 0 and up to 100)");
    }

    @ParameterizedTest
    @CsvSource({"5, 5", "0.5, 0.5", "100, 100", "99.999, 99.999"})
    void aShareMayHaveDecimals(String text, double expected) {
        assertThat(load("--sweep-share=" + text).presence().sweepShare()).isEqualTo(expected);
        assertThat(load(Map.of("HADIR_SWEEP_SHARE", text)).presence().sweepShare())
                .isEqualTo(expected);
    }

    @Test
    void anEmptyValueIsShownInQuotes() {
        assertThat(problems(Map.of("HADIR_PORT", "")))
                .containsExactly("HADIR_PORT: \"\" (expected: a whole number from 0 to 65535)");
    }

    @Test
    void portZeroMeansAnyFreeOne() {
        assertThat(load("--port=0").server().port()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"--insecure,true", "--insecure=true,true", "--insecure=false,false"})
    void insecureWorksWithAndWithoutAValue(String flag, boolean expected) {
        assertThat(load(flag, "--port=1").server().insecure()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "TRUE", "1", ""})
    void aBooleanIsTrueOrFalse(String text) {
        assertThat(problems("--insecure=" + text)).singleElement().asString().contains("(expected: true or false)");
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
    void openModeListensBeyondLoopbackOnlyWithInsecure(String host) {
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
    void aMalformedHostIsRefused(String host) {
        assertThat(problems("--insecure", "--host=" + host))
                .singleElement()
                .asString()
                .contains("(expected: an IP address or a host name)");
    }

    @Test
    void originsAreNormalizedAsBrowsersWriteThem() {
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
    void aMalformedOriginIsRefused(String text) {
        assertThat(problems("--allowed-origins=" + text))
                .singleElement()
                .asString()
                .contains("scheme://host[:port]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "10.0.0.0/8", "0.0.0.0/0, ::/0", "fd00::/8,127.0.0.1/32", "::ffff:10.0.0.1"})
    void trustedProxiesAreAddressesAndRanges(String text) {
        assertThat(load("--trusted-proxies=" + text).server().trustedProxies()).isNotSameAs(Networks.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "10.0.0.1,",
                "10.0.0.0/33",
                "::/129",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "10.0.0/8",
                "a.org",
                "*",
                "10.0.0.0/+8"
            })
    void aMalformedNetworkIsRefused(String text) {
        assertThat(problems("--trusted-proxies=" + text))
                .singleElement()
                .asString()
                .endsWith("(expected: IP addresses or ranges such as 10.0.0.0/8, several separated by commas)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://localhost",
                "redis://:p@ss@10.0.0.1:6379/2?timeout=1s",
                "rediss://user:secret@redis.example.org:6380",
                "redis://[::1]:6379",
                "redis-sentinel://a:26379,b:26379/0#master",
                "redis-cluster://a:7000,b:7001",
                "rediss-sentinel://:p@a:1,b:2/0?sentinelPassword=x#main",
                "rediss-cluster://a:7000,b:7001"
            })
    void aRedisUrlHasOneOfSixForms(String url) {
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
    void aMalformedRedisUrlIsRefused(String url) {
        assertThat(problems("--redis-url=" + url)).singleElement().asString().contains("redis-cluster://host:port");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://:s3cret@host/bad path",
                "s3cret@",
                "redis//u:s3cret@host",
                "redis://u:s3cret@h@x y",
                "redis-sentinel://:p@a/0?sentinelPassword=s3cret#m x"
            })
    void aPasswordIsNeverShown(String url) {
        assertThat(problems("--redis-url=" + url)).singleElement().asString().doesNotContain("s3cret");
        assertThat(new Config.Redis(url, RedisTls.NONE, "", false).toString()).doesNotContain("s3cret");
    }

    @Test
    void tlsFilesMustExistAndNeedAUrlWithTls(@TempDir Path folder) throws Exception {
        Certificates made = new Certificates(folder);
        String ca = "--redis-ca=" + made.ca();
        String cert = "--redis-cert=" + made.certificate();
        String key = "--redis-key=" + made.key();

        assertThat(load("--redis-url=rediss://a", ca, cert, key).redis().tls())
                .isEqualTo(new RedisTls(made.ca(), made.certificate(), made.key()));
        assertThat(problems("--redis-url=redis://a", ca))
                .singleElement()
                .asString()
                .contains("begins with rediss");
        assertThat(problems(ca)).singleElement().asString().contains("begins with rediss");
        assertThat(problems("--redis-url=rediss-cluster://a", cert))
                .singleElement()
                .asString()
                .contains("--redis-key");
        assertThat(problems("--redis-url=rediss://a", "--redis-ca=" + folder.resolve("none")))
                .singleElement()
                .asString()
                .contains("BEGIN CERTIFICATE");
        assertThat(problems("--redis-url=rediss://a", "--redis-ca=" + made.key()))
                .hasSize(1);
        assertThat(problems("--redis-url=rediss://a", cert, "--redis-key=" + made.certificate()))
                .singleElement()
                .asString()
                .contains("BEGIN PRIVATE KEY", "openssl pkcs8");
    }

    @Test
    void aMessageHasALimitedLengthAndNoControlCharacters() {
        assertThat(load("--inactivity-message=Bye 👋").texts().own())
                .containsOnly(
                        Map.entry(Language.EN, Map.of(RemovalReason.INACTIVITY_TIMEOUT, "Bye 👋")),
                        Map.entry(Language.ID, Map.of(RemovalReason.INACTIVITY_TIMEOUT, "Bye 👋")));
        assertThat(problems("--inactivity-message=" + "x".repeat(501))).hasSize(1);
        assertThat(problems("--inactivity-message=a\nforged: line"))
                .containsExactly(
                        "--inactivity-message: a?forged: line (expected: 1 to 500 characters, none of them a control character)");
    }

    @Test
    void aLanguageIsOneThatThereIs() {
        assertThat(load("--language=id").texts().usual()).isEqualTo(Language.ID);
        assertThat(problems("--language=fr")).containsExactly("--language: fr (expected: en or id)");
        assertThat(problems(Map.of("HADIR_LANGUAGE", "EN"))).containsExactly("HADIR_LANGUAGE: EN (expected: en or id)");
    }

    @Test
    void everyDefaultIsValid() {
        assertThat(Settings.ALL).allSatisfy(setting -> {
            String fallback = setting.fallback();
            if (fallback != null) {
                assertThat(setting.kind().parser().apply(fallback)).isPresent();
            }
            assertThat(setting.shownDefault()).isNotEmpty();
            assertThat(setting.about()).endsWith(".");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fifteen-letters", "sixteen letters!", "with-a-line\nbreak", "ünvisible-header"})
    void a40_aWeakApiKeyIsRefusedAndNeverShown(String key) {
        assertThat(problems("--api-key=" + key))
                .containsExactly("--api-key: *** (expected: 16 to 1024 visible ASCII characters)");
        assertThat(problems(Map.of("HADIR_API_KEY", key)))
                .containsExactly("HADIR_API_KEY: *** (expected: 16 to 1024 visible ASCII characters)");
    }

    @Test
    void a40_theConfigAsTextHidesTheApiKey() {
        Config config = load("--api-key=0123456789abcdef");
        assertThat(config.api().key()).isEqualTo("0123456789abcdef");
        assertThat(config.toString()).doesNotContain("0123456789abcdef");
    }
}
