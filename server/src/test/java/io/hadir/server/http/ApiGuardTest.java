package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.auth.ApiKeys;
import io.hadir.server.config.Config;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Refusal;
import io.hadir.testing.Logs;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiGuardTest {
    private static final String KEY = "0123456789abcdef-key";
    private static final ApiGuard KEYED = new ApiGuard(keys(KEY), false, Proxies.NONE);
    private static final ApiGuard KEYLESS = new ApiGuard(keys(null), false, Proxies.NONE);

    private static @Nullable HttpResponseStatus ask(ApiGuard guard, String peer, String... headers) {
        HttpHeaders all = new DefaultHttpHeaders();
        for (String header : headers) {
            all.add(header.substring(0, header.indexOf(':')), header.substring(header.indexOf(':') + 2));
        }
        try {
            byte[] address = InetAddress.getByName(peer).getAddress();
            Refusal refusal = guard.refusal(all, new InetSocketAddress(InetAddress.getByAddress(address), 1));
            return refusal == null ? null : refusal.status();
        } catch (UnknownHostException notAnAddress) {
            throw new AssertionError(notAnAddress);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization: Bearer " + KEY, "authorization: bearer " + KEY, "X-API-Key: " + KEY})
    void a40_theKeyIsAcceptedFromAnyAddress(String header) {
        assertThat(ask(KEYED, "192.0.2.1", "Host: hadir.example", header)).isNull();
        assertThat(ask(KEYED, "127.0.0.1", "Host: x", "X-Forwarded-For: 192.0.2.1", header))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: y",
                "Authorization: " + KEY,
                "Authorization: Basic " + KEY,
                "Authorization: Bearer",
                "Authorization: Bearer 0123456789abcdef-kex",
                "Authorization: Bearer 0123456789abcdef-ke",
                "Authorization: Bearer " + KEY + "x",
                "X-API-Key: ",
                "X-API-Key: 0123456789ABCDEF-KEY"
            })
    void a40_withoutTheKeyEveryCallerIsRefusedEvenOnThisMachine(String header) {
        assertThat(ask(KEYED, "127.0.0.1", "Host: localhost", header)).isEqualTo(HttpResponseStatus.UNAUTHORIZED);
    }

    @Test
    void a40_aWrongKeyBesideTheRightOneIsRefused() {
        assertThat(ask(KEYED, "127.0.0.1", "X-API-Key: " + KEY, "Authorization: Bearer guess"))
                .isEqualTo(HttpResponseStatus.UNAUTHORIZED);
    }

    @Test
    void a40_theRefusalSaysHowToSendTheKey() {
        Refusal refusal =
                KEYED.refusal(new DefaultHttpHeaders(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        assertThat(Objects.requireNonNull(refusal).headers())
                .containsEntry("WWW-Authenticate", "Bearer realm=\"hadir\"");
        assertThat(refusal.message()).doesNotContain(KEY);
    }

    @Test
    void a54_wrongKeysAreLimitedPerAddressAndTheRightKeyIsNot() {
        ApiGuard guard = new ApiGuard(keys(KEY), false, Proxies.NONE);
        try (Logs logs = Logs.listen()) {
            List<HttpResponseStatus> answers = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                answers.add(ask(guard, "192.0.2.1", "X-API-Key: guess-number-" + i));
            }
            long refused = answers.stream()
                    .filter(HttpResponseStatus.UNAUTHORIZED::equals)
                    .count();
            long slowed = answers.stream()
                    .filter(HttpResponseStatus.TOO_MANY_REQUESTS::equals)
                    .count();
            assertThat(refused).isBetween(20L, 200L);
            assertThat(refused + slowed).isEqualTo(1000);
            assertThat(guard.refusals(ApiGuard.Reason.WRONG_KEY)).isEqualTo(refused);
            assertThat(guard.refusals(ApiGuard.Reason.MANY_WRONG_KEYS)).isEqualTo(slowed);
            assertThat(ask(guard, "192.0.2.1", "X-API-Key: " + KEY)).isNull();
            assertThat(ask(guard, "192.0.2.2", "X-API-Key: guess")).isEqualTo(HttpResponseStatus.UNAUTHORIZED);
            assertThat(ask(guard, "192.0.2.1")).isEqualTo(HttpResponseStatus.UNAUTHORIZED);
            assertThat(guard.refusals(ApiGuard.Reason.MISSING_KEY)).isEqualTo(1);
            assertThat(logs.all())
                    .contains("WARN Refused an API call from 192.0.2.1: its key is wrong")
                    .noneMatch(line -> line.contains("guess-number"))
                    .hasSizeLessThan(30);
        }
    }

    @Test
    void a54_onAnOpenPathAWrongKeyCountsAndNoKeyDoesNot() {
        ApiGuard guard = new ApiGuard(keys(KEY), false, Proxies.NONE);
        InetSocketAddress peer = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        HttpHeaders headers = new DefaultHttpHeaders();
        assertThat(guard.insiders().refusal(headers, peer)).isNotNull();
        assertThat(guard.refusals(ApiGuard.Reason.MISSING_KEY)).isZero();
        headers.set("X-API-Key", "guess");
        assertThat(guard.insiders().refusal(headers, peer)).isNotNull();
        assertThat(guard.refusals(ApiGuard.Reason.WRONG_KEY)).isEqualTo(1);
        headers.set("X-API-Key", KEY);
        assertThat(guard.insiders().refusal(headers, peer)).isNull();
    }

    @Test
    void a54_anIpv6NetworkCountsAsOneAddress() {
        ApiGuard guard = new ApiGuard(keys(KEY), false, Proxies.NONE);
        for (int i = 0; i < 100; i++) {
            ask(guard, "2001:db8::" + Integer.toHexString(i), "X-API-Key: guess");
        }
        assertThat(guard.refusals(ApiGuard.Reason.MANY_WRONG_KEYS)).isPositive();
        assertThat(ask(guard, "2001:db8:0:1::1", "X-API-Key: guess")).isEqualTo(HttpResponseStatus.UNAUTHORIZED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:8080", "127.0.0.1", "127.1.2.3:99", "[::1]:8080", "LOCALHOST"})
    void withoutAConfiguredKeyProgramsOnThisMachineAreAdmitted(String host) {
        assertThat(ask(KEYLESS, "127.0.0.1", "Host: " + host)).isNull();
        assertThat(ask(KEYLESS, "::1", "Host: " + host)).isNull();
        assertThat(ask(KEYLESS, "127.0.0.1", "Host: " + host, "Origin: http://" + host, "Sec-Fetch-Site: same-origin"))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.1", "10.0.0.1", "0.0.0.0", "::2", "2001:db8::1", "::ffff:192.0.2.1"})
    void a40_withoutAConfiguredKeyOtherMachinesAreRefused(String peer) {
        assertThat(ask(KEYLESS, peer, "Host: localhost")).isEqualTo(HttpResponseStatus.FORBIDDEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Forwarded: for=192.0.2.1",
                "X-Forwarded-For: 127.0.0.1",
                "x-forwarded-anything: x",
                "X-Real-IP: 127.0.0.1",
                "Via: 1.1 proxy",
                "CF-Connecting-IP: 192.0.2.1",
                "True-Client-IP: 192.0.2.1"
            })
    void a40_withoutAConfiguredKeyForwardedRequestsAreRefused(String header) {
        assertThat(ask(KEYLESS, "127.0.0.1", "Host: localhost", header)).isEqualTo(HttpResponseStatus.FORBIDDEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: evil.example",
                "Host: localhost.evil.example",
                "Host: 127.0.0.1.evil.example",
                "Host: evil.example:8080",
                "Host: ",
                "Host: localhost@evil.example",
                "X: y"
            })
    void a40_withoutAConfiguredKeyForeignHostNamesAreRefused(String header) {
        assertThat(ask(KEYLESS, "127.0.0.1", header)).isEqualTo(HttpResponseStatus.FORBIDDEN);
        assertThat(ask(KEYLESS, "127.0.0.1", "Host: localhost", "Host: evil.example"))
                .isEqualTo(HttpResponseStatus.FORBIDDEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://evil.example",
                "Origin: null",
                "Origin: http://localhost:3000",
                "Origin: https://localhost:8080",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site"
            })
    void a40_withoutAConfiguredKeyPagesOfOtherSitesAreRefused(String header) {
        assertThat(ask(KEYLESS, "127.0.0.1", "Host: localhost:8080", header)).isEqualTo(HttpResponseStatus.FORBIDDEN);
    }

    @Test
    void insecureAdmitsEveryoneUnlessAKeyIsConfigured() {
        assertThat(ask(new ApiGuard(keys(null), true, Proxies.NONE), "192.0.2.1", "Host: x", "Via: y"))
                .isNull();
        assertThat(ask(new ApiGuard(keys(KEY), true, Proxies.NONE), "127.0.0.1", "Host: localhost"))
                .isEqualTo(HttpResponseStatus.UNAUTHORIZED);
    }

    @Test
    void aReadKeyReadsAndAMetricsKeyReadsMetrics() {
        ApiGuard guard = new ApiGuard(
                ApiKeys.of(new Config.Api(KEY, "read-0123456789abcdef", "metrics-0123456789abc")), false, Proxies.NONE);
        assertThat(rights(guard, KEY)).containsExactly(ApiKeys.Right.METRICS, ApiKeys.Right.READ, ApiKeys.Right.CHANGE);
        assertThat(rights(guard, "read-0123456789abcdef")).containsExactly(ApiKeys.Right.METRICS, ApiKeys.Right.READ);
        assertThat(rights(guard, "metrics-0123456789abc")).containsExactly(ApiKeys.Right.METRICS);
        assertThat(rights(guard, "other")).isEmpty();
        assertThat(guard.refusals(ApiGuard.Reason.WEAK_KEY)).isEqualTo(3);
    }

    @Test
    void otherKeysCountFromTheMomentTheyAreTaken() {
        ApiGuard guard = new ApiGuard(keys(KEY), false, Proxies.NONE);
        guard.take(keys("another-0123456789abc"));
        assertThat(rights(guard, KEY)).isEmpty();
        assertThat(rights(guard, "another-0123456789abc")).hasSize(3);
    }

    @Test
    void aMetricsKeyAloneLeavesTheApiToThisMachine() {
        ApiGuard guard =
                new ApiGuard(ApiKeys.of(new Config.Api(null, null, "metrics-0123456789abc")), false, Proxies.NONE);
        assertThat(rights(guard, "metrics-0123456789abc")).containsExactly(ApiKeys.Right.METRICS);
        assertThat(ask(guard, "127.0.0.1", "Host: localhost")).isNull();
        assertThat(ask(guard, "192.0.2.1", "Host: x")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a40_withAReadKeyAloneNobodyChangesAnything(boolean insecure) {
        String read = "read-0123456789abcdef";
        ApiGuard guard = new ApiGuard(ApiKeys.of(new Config.Api(null, read, null)), insecure, Proxies.NONE);
        HttpHeaders local = new DefaultHttpHeaders().set("Host", "localhost");
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertThat(guard.with(ApiKeys.Right.CHANGE).refusal(local, here)).isNotNull();
        assertThat(guard.changers().refusal(local, here)).isNotNull();
        assertThat(rights(guard, read)).containsExactly(ApiKeys.Right.METRICS, ApiKeys.Right.READ);
    }

    private static List<ApiKeys.Right> rights(ApiGuard guard, String key) {
        DefaultHttpHeaders headers = new DefaultHttpHeaders();
        headers.set("X-API-Key", key).set("Host", "hadir.example");
        return Stream.of(ApiKeys.Right.values())
                .filter(right -> guard.with(right).refusal(headers, new InetSocketAddress("192.0.2.1", 1)) == null)
                .toList();
    }

    private static ApiKeys keys(@Nullable String key) {
        return ApiKeys.of(new Config.Api(key, null, null));
    }
}
