package io.hadir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.DocumentedAcl;
import io.hadir.testing.TestRedis;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AclIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final Pattern CALL = Pattern.compile("(?:redis\\.p?call|own)\\('([A-Z]+)'");

    private StatefulRedisConnection<String, String> connection;

    @BeforeEach
    void connect() {
        DocumentedAcl.apply(REDIS.cli());
        connection = REDIS.client().connect(RedisURI.create(DocumentedAcl.url(REDIS.url())));
    }

    @AfterEach
    void close() {
        connection.close();
    }

    @Test
    void theDocumentedAclIsEnough() {
        RedisCheck.checkPermissions(connection.async(), "")
                .toCompletableFuture()
                .join();
    }

    @Test
    void withAPrefixTheAclHasItToo() {
        assertThatThrownBy(() -> RedisCheck.checkPermissions(connection.async(), "app:")
                        .toCompletableFuture()
                        .join())
                .satisfies(
                        refusal -> assertThat(RedisErrorText.inWords(refusal)).contains("DEL room:*"));
        DocumentedAcl.change(REDIS.cli(), "resetkeys ~app:room:* ~app:user:* ~app:hadir:* resetchannels &app:hadir:*");
        RedisCheck.checkPermissions(connection.async(), "app:")
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void f61_aCommandThatIsNotAllowedIsNamed(String command) {
        DocumentedAcl.change(REDIS.cli(), "-" + command);

        assertThatThrownBy(() -> RedisCheck.checkPermissions(connection.async(), "")
                        .toCompletableFuture()
                        .join())
                .satisfies(
                        refusal -> assertThat(RedisErrorText.inWords(refusal)).containsIgnoringCase(command));
    }

    @ParameterizedTest
    @MethodSource("patterns")
    void f61_keysAndChannelsThatAreNotAllowedAreNamed(String allowed, String missing) {
        DocumentedAcl.change(REDIS.cli(), "resetkeys resetchannels " + allowed);

        assertThatThrownBy(() -> RedisCheck.checkPermissions(connection.async(), "")
                        .toCompletableFuture()
                        .join())
                .satisfies(
                        refusal -> assertThat(RedisErrorText.inWords(refusal)).contains(missing));
    }

    @Test
    void mostPingsCheckNoPermissions() {
        try (RedisLink link = new RedisLink(RedisAddress.parse(REDIS.url()))) {
            link.open().toCompletableFuture().join();
            long checks = calls("evalsha");
            long pings = calls("ping");
            await().until(() -> calls("ping") >= pings + 8);
            assertThat(calls("evalsha") - checks).isLessThanOrEqualTo(2);
        }
    }

    private static long calls(String command) {
        Matcher found = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
                .matcher(REDIS.cli().info("commandstats"));
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    @Test
    void everyCommandOfEveryScriptIsNeeded() throws Exception {
        TreeSet<String> called = new TreeSet<>();
        try (Stream<Path> scripts = Files.list(Path.of("redis/src/main/resources/redis"))) {
            scripts.forEach(script -> called.addAll(calls(script)));
        }

        assertThat(called).contains("SPUBLISH", "EXPIRE");
        assertThat(commands()).containsAll(called);
    }

    private static List<String> calls(Path script) {
        try {
            Matcher found = CALL.matcher(Files.readString(script));
            return found.results().map(call -> call.group(1)).toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static List<String> commands() {
        return RedisCheck.NEEDED.stream().map(call -> call.split(" ", 2)[0]).toList();
    }

    private static Stream<Arguments> patterns() {
        return Stream.of(
                Arguments.of("~user:* ~hadir:* &hadir:*", "room:*"),
                Arguments.of("~room:* ~hadir:* &hadir:*", "user:*"),
                Arguments.of("~room:* ~user:* &hadir:*", "hadir:*"),
                Arguments.of("~room:* ~user:* ~hadir:*", "SPUBLISH hadir:*"));
    }
}
