package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class JsonTest {
    private static @Nullable JsonNode read(String text) {
        return Json.read(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    @Test
    void depthIsLimited() {
        assertThat(read("[".repeat(64) + "]".repeat(64))).isNotNull();
        assertThat(read("[".repeat(65) + "]".repeat(65))).isNull();
        assertThat(read("[".repeat(100_000))).isNull();
        assertThat(read("{\"a\":".repeat(100_000))).isNull();
    }

    @Test
    void numbersAreLimited() {
        assertThat(read("1".repeat(64))).isNotNull();
        assertThat(read("1".repeat(65))).isNull();
        assertThat(read("1e" + "9".repeat(70))).isNull();
        assertThat(read("0." + "1".repeat(70))).isNull();
        assertThat(read("-" + "9".repeat(100_000))).isNull();
    }

    @Test
    void namesAreLimitedAndUnique() {
        assertThat(read("{\"" + "n".repeat(1_000) + "\":1}")).isNotNull();
        assertThat(read("{\"" + "n".repeat(1_001) + "\":1}")).isNull();
        assertThat(read("{\"a\":1,\"a\":1}")).isNull();
        assertThat(read("[{\"b\":{\"a\":1,\"a\":1}}]")).isNull();
        assertThat(read("{\"a\":1,\"\\u0061\":1}")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\ud800", "\\udc00", "\\udc00\\ud800", "x\\ud83dx", "\\ud83d\\ud83d\\ude00", "\\uD83D"})
    void loneSurrogatesAreRefusedOrReplaced(String escaped) {
        for (String json : List.of(
                "\"" + escaped + "\"",
                "[[\"" + escaped + "\"]]",
                "{\"" + escaped + "\":1}",
                "{\"a\":{\"b\":\"" + escaped + "\"}}")) {
            assertThat(Json.readBytes(Unpooled.copiedBuffer(json, StandardCharsets.UTF_8)))
                    .isNull();
            String replaced = String.valueOf(read(json));
            assertThat(replaced).contains("\uffff");
            assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(replaced)).isTrue();
        }
    }

    @Test
    void surrogatePairsAreAccepted() {
        assertThat(read("\"\\ud83d\\ude00\"")).hasToString("\"😀\"");
        assertThat(read("\"\\\\ud800\"")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[1,]",
                "[1 2]",
                "{a:1}",
                "'a'",
                "NaN",
                "Infinity",
                "01",
                "+1",
                ".5",
                "1.",
                "tru",
                "\"a",
                "\"\t\"",
                "\"\u0000\"",
                "// x\n1",
                "/* x */1",
                "1 2",
                "[] []",
                "{} x",
                "\"\\x41\"",
                "\"\\u00\"",
                "\\",
                "\u00a01"
            })
    void invalidJsonIsRefused(String text) {
        assertThat(read(text)).isNull();
    }
}
