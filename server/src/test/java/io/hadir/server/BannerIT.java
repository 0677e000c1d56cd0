package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.config.Config;
import io.hadir.server.config.ConfigLoader;
import io.hadir.server.config.Flags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BannerIT {
    @Test
    void showsWhereToClickAndWhichMachinesCanConnect() {
        assertThat(text("127.0.0.1"))
                .contains("http://127.0.0.1:1234/", "http://127.0.0.1:1234/socket.io/", "this machine only", "open: ");
        assertThat(text("192.0.2.1")).contains("http://192.0.2.1:1234/", "also for other machines (--insecure)");
    }

    @Test
    void showsWhereAppsAttachIfTheyMay() {
        assertThat(text("127.0.0.1", Config.defaults().auth(), true))
                .contains("Trunk       http://127.0.0.1:1234/trunk");
        assertThat(text("127.0.0.1")).doesNotContain("Trunk");
    }

    @Test
    void anIpv6AddressIsInBrackets() {
        assertThat(text("::1")).contains("http://[0:0:0:0:0:0:0:1]:1234/");
    }

    @Test
    void theWildcardAddressIsShownAsLocalhost() {
        assertThat(text("0.0.0.0")).contains("http://localhost:1234/", "every address of this machine, port 1234");
    }

    @Test
    void showsWhereRedisIs() {
        assertThat(text("127.0.0.1")).contains("Redis       redis://host:1");
    }

    @Test
    void showsHowUsersAuthenticateButNoSecret() {
        Config.Auth secret = new Config.Auth("0123456789abcdef0123456789abcdef", null, null, null, null, null);
        Config.Auth keys =
                new Config.Auth(null, null, URI.create("https://id.example/jwks?key=hidden"), null, null, null);

        assertThat(text("192.0.2.1", secret))
                .contains("tokens: ", "a secret (HS256)", "also for other machines")
                .doesNotContain("0123456789", "--insecure");
        assertThat(text("0.0.0.0", keys))
                .contains("tokens: ", "https://id.example/jwks")
                .doesNotContain("hidden", "--insecure");
    }

    @Test
    void saysThatOnlyTrunksAreServed() {
        Config.Auth none = new Config.Auth(true, null, null, null, null, null, null, false, "sub", "name");

        assertThat(text("0.0.0.0", none, true))
                .contains("Mode        trunks only: no token key is configured")
                .doesNotContain("--insecure", "open: ");
    }

    @Test
    void thePasswordOfTheEmbeddedRedisIsShownInOpenModeOnly() throws Exception {
        try (Hadir open = start()) {
            assertThat(open.redis()).matches("(?s)embedded, .*redis-cli -u redis://:[0-9a-f]{48}@127.0.0.1:\\d+");
        }
        try (Hadir tokens = start("--jwt-secret=0123456789abcdef0123456789abcdef")) {
            Matcher shown = Pattern.compile("(?s)embedded at 127.0.0.1:\\d+, .* its password is in\n(.+)")
                    .matcher(tokens.redis());
            assertThat(shown.matches()).as(tokens.redis()).isTrue();
            String config = Files.readString(Path.of(shown.group(1)));
            assertThat(config).containsPattern("requirepass \"[0-9a-f]{48}\"");
            assertThat(tokens.redis()).doesNotContainPattern("[0-9a-f]{48}");
        }
    }

    private static Hadir start(String... flags) throws IOException {
        List<String> all =
                Stream.concat(Stream.of("--port=0"), Stream.of(flags)).toList();
        return Hadir.start(ConfigLoader.load(Flags.parse(all), Map.of()).config(), "0.0.0", foreign -> {});
    }

    @Test
    void isPlainAsciiWithoutATerminal() {
        assertThat(text("127.0.0.1")).matches("[\\n\\r -~]+");
    }

    private static String text(String address) {
        return text(address, Config.defaults().auth());
    }

    private static String text(String address, Config.Auth auth) {
        return text(address, auth, false);
    }

    private static String text(String address, Config.Auth auth, boolean trunks) {
        return Banner.text(
                new InetSocketAddress(address, 1234),
                new InetSocketAddress(address, 1234),
                Config.defaults().server(),
                "redis://host:1",
                auth,
                trunks,
                "0.0.0");
    }
}
