package io.hadir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sentinels with a password of their own, and what is said when they are of no help. */
class SentinelsIT {
    private static EmbeddedRedis primary;
    private static EmbeddedRedis sentinel;

    @BeforeAll
    static void start() throws IOException {
        primary = EmbeddedRedis.start();
        List<String> watching = List.of(
                "sentinel monitor m 127.0.0.1 " + primary.port() + " 1",
                "sentinel auth-pass m " + primary.password(),
                "user asker on >s3ntinel+ ~* &* +@all");
        sentinel = EmbeddedRedis.start(new EmbeddedRedis.Role("watchword", true, () -> watching));
    }

    @AfterAll
    static void end() {
        sentinel.close();
        primary.close();
    }

    @Test
    void sentinelsHaveAPasswordOfTheirOwn() {
        assertUp("?sentinelPassword=watchword#m");
        assertUp("?sentinelUser=asker&sentinelPassword=s3ntinel+#m");
    }

    @Test
    void troubleWithSentinelsIsReportedInPlainWords() {
        String which = "the sentinel at " + sentinel.address() + ": ";
        assertTrouble(url("#m"), which + "it requires a password, but none was given");
        assertTrouble(url("?sentinelPassword=wrong#m"), which + "the password is wrong");
        assertTrouble(url("?sentinelPassword=watchword#other"), "the sentinels do not know it by this name");
        assertTrouble("redis-sentinel://127.0.0.1:1,127.0.0.1:2/0#m", "no sentinel answers");
    }

    private static String url(String rest) {
        return "redis-sentinel://:" + primary.password() + "@" + sentinel.address() + "/0" + rest;
    }

    private static void assertUp(String rest) {
        try (RedisLink link = new RedisLink(RedisAddress.parse(url(rest)))) {
            link.open();
            await().until(() -> link.trouble().isEmpty());
            assertThat(link.isUp()).isTrue();
        }
    }

    private static void assertTrouble(String url, String words) {
        try (RedisLink link = new RedisLink(RedisAddress.parse(url))) {
            link.open();
            await().untilAsserted(() -> assertThat(link.trouble().orElse("")).endsWith(": " + words));
            assertThat(link.trouble().orElse("")).doesNotContain("watchword", primary.password());
        }
    }
}
