package io.hadir.socketio.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginsTest {
    private static final Origins LISTED = new Origins(List.of("https://app.example", "http://two.example:8080"), false);

    @Test
    void aClientWithoutAnOriginIsAllowed() {
        assertThat(LISTED.allows(null, "hadir.example")).isTrue();
        assertThat(LISTED.allows(null, null)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://app.example", "HTTPS://App.Example", "http://two.example:8080"})
    void listedPagesAreAllowed(String origin) {
        assertThat(LISTED.allows(origin, "hadir.example")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example",
                "http://app.example",
                "https://app.example:444",
                "https://app.example.evil.example",
                "https://xapp.example",
                "https://app.example/",
                "null",
                "",
                " ",
                "*",
                "app.example",
                "//app.example",
                "file://",
                "https://",
                "https://app.example evil",
                "javascript:alert(1)",
                "https://[::1",
                "http://localhost"
            })
    void otherPagesAreRefused(String origin) {
        assertThat(LISTED.allows(origin, "hadir.example")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "http://hadir.example,hadir.example,true",
        "https://hadir.example,hadir.example,true",
        "http://hadir.example:8080,Hadir.Example:8080,true",
        "http://hadir.example,hadir.example:8080,false",
        "http://hadir.example:8081,hadir.example:8080,false",
        "http://[::1]:8080,[::1]:8080,true"
    })
    void aPageOfThisServerIsAllowed(String origin, String host, boolean allowed) {
        assertThat(LISTED.allows(origin, host)).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:3000,true",
        "http://127.0.0.1,true",
        "https://[::1]:5173,true",
        "http://localhost.evil.example,false",
        "http://127.0.0.1.evil.example,false",
        "http://evil.example,false"
    })
    void loopbackPagesAreAllowedIfConfigured(String origin, boolean allowed) {
        assertThat(new Origins(List.of(), true).allows(origin, "10.0.0.1:8080")).isEqualTo(allowed);
        assertThat(new Origins(List.of(), false).allows(origin, "10.0.0.1:8080"))
                .isFalse();
    }

    @Test
    void aStarAllowsAll() {
        assertThat(new Origins(List.of("*"), false).allows("null", null)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:8080,localhost:8080,true",
        "http://127.8.9.10:8080,127.8.9.10:8080,true",
        "http://[::1]:8080,[::1]:8080,true",
        "http://evil.example:8080,evil.example:8080,false",
        "http://127.0.0.1.evil.example,127.0.0.1.evil.example,false",
        "http://localhost.evil.example,localhost.evil.example,false"
    })
    void a33_aForeignNameThatPointsHereIsNotOurOwn(String origin, String host, boolean allowed) {
        assertThat(new Origins(List.of(), false, true).allows(origin, host)).isEqualTo(allowed);
        assertThat(new Origins(List.of(origin), false, true).allows(origin, host))
                .as("listed")
                .isTrue();
    }
}
