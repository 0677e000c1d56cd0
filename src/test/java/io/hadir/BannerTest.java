package io.hadir;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.config.Config;
import io.hadir.config.RedisConfig;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class BannerTest {
    private static final Config DEFAULTS = Config.defaults();

    @Test
    void saysWhereToClickAndWhoMayReachIt() {
        assertThat(text(DEFAULTS, "127.0.0.1"))
                .contains("http://127.0.0.1:1234/", "http://127.0.0.1:1234/socket.io/", "this machine only", "open: ");
        assertThat(text(DEFAULTS, "192.0.2.1"))
                .contains("http://192.0.2.1:1234/", "also for other machines (--insecure)");
    }

    @Test
    void anIpv6AddressIsInBrackets() {
        assertThat(text(DEFAULTS, "::1")).contains("http://[0:0:0:0:0:0:0:1]:1234/");
    }

    @Test
    void allAddressesAreShownAsOneThatCanBeClicked() {
        assertThat(text(DEFAULTS, "0.0.0.0"))
                .contains("http://localhost:1234/", "every address of this machine, port 1234");
    }

    @Test
    void thePasswordOfRedisIsNotShown() {
        Config config = new Config(
                DEFAULTS.server(),
                new RedisConfig("redis://me:s3cret@host:1"),
                DEFAULTS.presence(),
                DEFAULTS.transport(),
                DEFAULTS.limits());

        assertThat(text(config, "127.0.0.1")).contains("redis://***@host:1").doesNotContain("s3cret");
    }

    @Test
    void isPlainAsciiWhereNoTerminalReadsIt() {
        assertThat(text(DEFAULTS, "127.0.0.1")).matches("[\\n\\r -~]+");
    }

    private static String text(Config config, String address) {
        return Banner.text(config, new InetSocketAddress(address, 1234), "0.0.0");
    }
}
