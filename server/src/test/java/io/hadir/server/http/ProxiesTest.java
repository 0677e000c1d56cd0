package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.config.Networks;
import io.hadir.socketio.http.Proxies;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxiesTest {
    private static final Proxies PROXIES =
            new Proxies(Networks.parse("10.0.0.0/9, 192.0.2.7,fd00::/8").orElseThrow()::contains);

    private static String client(String peer, String... forwarded) throws UnknownHostException {
        HttpHeaders headers = new DefaultHttpHeaders();
        for (String header : forwarded) {
            headers.add("X-Forwarded-For", header);
        }
        return PROXIES.client(headers, new InetSocketAddress(InetAddress.getByName(peer), 1))
                .getHostAddress();
    }

    @Test
    void anUntrustedPeerCannotNameAnotherClient() throws Exception {
        assertThat(client("198.51.100.1", "203.0.113.9")).isEqualTo("198.51.100.1");
        assertThat(client("10.128.0.1", "203.0.113.9")).isEqualTo("10.128.0.1");
        assertThat(client("192.0.2.8", "203.0.113.9")).isEqualTo("192.0.2.8");
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1,203.0.113.9", "10.127.255.255,203.0.113.9", "192.0.2.7,203.0.113.9", "fd12::1,203.0.113.9"})
    void aTrustedPeerNamesItsClient(String peer, String expected) throws Exception {
        assertThat(client(peer, "203.0.113.9")).isEqualTo(expected);
    }

    @Test
    void theClaimsOfTheClientAreIgnored() throws Exception {
        assertThat(client("10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.2")).isEqualTo("203.0.113.9");
        assertThat(client("10.0.0.1", "1.1.1.1", "203.0.113.9", "192.0.2.7")).isEqualTo("203.0.113.9");
    }

    @Test
    void aTrustedPeerThatNamesNoClientIsTheClient() throws Exception {
        assertThat(client("10.0.0.1")).isEqualTo("10.0.0.1");
        assertThat(client("10.0.0.1", "10.0.0.3, 10.0.0.2")).isEqualTo("10.0.0.3");
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.9:4711,203.0.113.9",
        "2001:db8::5,2001:db8:0:0:0:0:0:5",
        "[2001:db8::5],2001:db8:0:0:0:0:0:5",
        "[2001:db8::5]:99,2001:db8:0:0:0:0:0:5"
    })
    void addressesAreReadAsProxiesWriteThem(String hop, String expected) throws Exception {
        assertThat(client("10.0.0.1", hop)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "unknown", "localhost", "example.org", "1.2.3", "1.2.3.4.5", "[::1", ":", ",", "_x, 10.0.0.2"
            })
    void anInvalidAddressMakesTheLastProxyTheClient(String garbage) throws Exception {
        assertThat(client("10.0.0.1", garbage)).startsWith("10.0.0.");
    }
}
