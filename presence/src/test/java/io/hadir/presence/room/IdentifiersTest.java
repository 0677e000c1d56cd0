package io.hadir.presence.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdentifiersTest {
    /** What an id may look like, and how it is written in keys. */
    static Stream<Arguments> ids() {
        return Stream.of(
                arguments("1", "1"),
                arguments("A-Z_0.9~@", "A-Z_0.9~@"),
                arguments("...a", "...a"),
                arguments("Presence", "Presence"),
                arguments("__proto__", "__proto__"),
                arguments("-1", "-1"),
                arguments("*", "%2A"),
                arguments("[a-z]*", "%5Ba-z%5D%2A"),
                arguments("?", "%3F"),
                arguments("\\", "%5C"),
                arguments("}", "%7D"),
                arguments("{}", "%7B%7D"),
                arguments("a:b", "a%3Ab"),
                arguments("a%3Ab", "a%253Ab"),
                arguments("room:123", "room%3A123"),
                arguments("auth0|5f7c", "auth0%7C5f7c"),
                arguments("org1/general", "org1%2Fgeneral"),
                arguments("adi+test@mail.com", "adi%2Btest@mail.com"),
                arguments("ruang tamu", "ruang%20tamu"),
                arguments("ä", "%C3%A4"),
                arguments("客厅", "%E5%AE%A2%E5%8E%85"),
                arguments("👍🏽", "%F0%9F%91%8D%F0%9F%8F%BD"),
                arguments("❤️", "%E2%9D%A4%EF%B8%8F"),
                arguments("'\"<b>", "%27%22%3Cb%3E"));
    }

    @ParameterizedTest
    @MethodSource("ids")
    void a22_anIdIsTakenAsItIsAndWrittenInKeysSoThatItIsNothingElse(String text, String key) {
        assertThat(RoomId.parse(text)).isEqualTo(Answer.ok(new RoomId(text)));
        assertThat(UserId.parse(text)).isEqualTo(Answer.ok(new UserId(text)));
        assertThat(new RoomId(text).encoded()).isEqualTo(key);
        assertThat(new UserId(text).encoded()).isEqualTo(key);
        assertThat(RoomId.decode(key)).contains(new RoomId(text));
        assertThat(UserId.decode(key)).contains(new UserId(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                " ",
                " a",
                "a ",
                "a  b",
                "a\tb",
                "a\n",
                "a\r\nb",
                "\u0000",
                "a\u0085b",
                "\u00a0",
                "a\u3000b",
                "a\u200bb",
                "a\u200db",
                "\ufeffa",
                "a\u00adb",
                "a\u202eb",
                "a\u2066b",
                "a\u2028b",
                "a\u2029b",
                "\ue000",
                "\u0378",
                "\ud800",
                "a\udc00",
                "\ufffe",
                "\udbff\udfff"
            })
    void a22_otherIdsAreRefusedAndCannotBeMade(String text) {
        assertThat(RoomId.parse(text))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.error().field()).isEqualTo("roomId"));
        assertThat(UserId.parse(text)).isInstanceOf(Answer.Refused.class);
        assertThatThrownBy(() -> new RoomId(text)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new UserId(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "..",
                "a b",
                "a:b",
                "*",
                "ä",
                "%",
                "%4",
                "%41",
                "%3a",
                "%2",
                "a%zzb",
                "%C3",
                "%C0%80",
                "%ED%A0%80",
                "%0A",
                "%00",
                "%20a",
                "a%20%20b",
                "a%CC%88",
                "%2E%2E",
                "%F4%90%80%80"
            })
    void a22_whatIsNotWrittenAsAnIdIsWrittenInKeysIsNone(String key) {
        assertThat(RoomId.decode(key)).isEmpty();
        assertThat(UserId.decode(key)).isEmpty();
    }

    @Test
    void idsThatLookTheSameAreTheSame() {
        assertThat(UserId.parse("a\u0308")).isEqualTo(Answer.ok(new UserId("ä")));
        assertThat(UserId.parse("\u212a")).isEqualTo(Answer.ok(new UserId("K")));
        assertThat(RoomId.parse("\uac00")).isEqualTo(RoomId.parse("\u1100\u1161"));
        assertThatThrownBy(() -> new UserId("a\u0308")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void idsHaveALongestLengthAndOneRoomIsReserved() {
        assertThat(RoomId.parse("x".repeat(128))).isInstanceOf(Answer.Ok.class);
        assertThat(RoomId.parse("x".repeat(129))).isInstanceOf(Answer.Refused.class);
        assertThat(RoomId.parse("x".repeat(10_000))).isInstanceOf(Answer.Refused.class);
        assertThat(RoomId.parse("客".repeat(128))).isInstanceOf(Answer.Ok.class);
        assertThat(RoomId.parse("客".repeat(129))).isInstanceOf(Answer.Refused.class);
        assertThat(RoomId.parse("👍".repeat(96))).isInstanceOf(Answer.Ok.class);
        assertThat(RoomId.parse("👍".repeat(97))).isInstanceOf(Answer.Refused.class);
        assertThat(RoomId.parse("\u1100\u1161".repeat(128))).isInstanceOf(Answer.Ok.class);
        assertThat(RoomId.parse("presence")).isInstanceOf(Answer.Refused.class);
        assertThat(RoomId.decode("presence")).isEmpty();
        assertThat(UserId.parse("presence")).isInstanceOf(Answer.Ok.class);
    }

    @Test
    void usersHaveTheOrderOfTheirKeys() {
        List<UserId> users = new ArrayList<>(Stream.of("b", "a:b", "a-b", "a", "ä", "a b", "B")
                .map(UserId::new)
                .toList());
        Collections.sort(users);
        assertThat(users).extracting(UserId::value).containsExactly("ä", "B", "a", "a b", "a:b", "a-b", "b");
    }

    @Test
    void usernamesAreTrimmedAndCountedInCodePoints() {
        assertThat(name("  Adi 𝄞 ")).isEqualTo("Adi 𝄞");
        assertThat(name("𝄞".repeat(64))).hasSize(128);
        assertThat(Username.parse("𝄞".repeat(65))).isInstanceOf(Answer.Refused.class);
        assertThat(name("<b>x</b>")).isEqualTo("<b>x</b>");
        assertThat(Username.of(new UserId("x".repeat(128))).value()).hasSize(128);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   ", "a\u0000b", "a\u0085b", "a\u202Eb", "a\u2066b", "a\u2028b", "a\ud800b"})
    void usernamesThatDisturbTheTextAroundThemAreRefused(String text) {
        assertThat(Username.parse(text)).isInstanceOf(Answer.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u00A0", // no-break space
                "\u3164", // Hangul filler
                "\u115F\u1160",
                "\uFFA0",
                "\u2800", // empty Braille cell
                "\u0301", // a mark on nothing
                "\u034F",
                "\uFE0F",
                "\u2065",
                "\uDB40\uDD00", // variation selector 17
                "\u200B",
                "\u200D",
                "\u2060",
                "\uFEFF",
                "\u180E",
                "\u00AD",
                "\uDB40\uDC41" // tag letter A
            })
    void usernamesThatNobodyCanSeeAreRefused(String text) {
        assertThat(Username.parse(text)).isInstanceOf(Answer.Refused.class);
        assertThat(Username.parse(text + " " + text)).isInstanceOf(Answer.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\u200Bb",
                "a\u200Eb",
                "a\u200Fb",
                "a\u061Cb",
                "a\u00ADb",
                "a\u2060b",
                "a\uFEFFb",
                "a\u2069b",
                "a\u202Ab",
                "a\uFFF9b",
                "a\uDB40\uDC41b",
                // Joiners that join nothing.
                "a\u200Db",
                "a\u200Cb",
                "\u200Dadi",
                "adi\u200D",
                "😀\u200D",
                "\u200D😀",
                "😀\u200C😀",
                "a\u200D😀",
                "😀\u200D\u200D😀",
                "\u0627\u200Ca",
                "\u200C\u0627"
            })
    void usernamesWithFormatCharactersAreRefused(String text) {
        assertThat(Username.parse(text)).isInstanceOf(Answer.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "👩\u200D💻", // emoji of several
                "👩🏽\u200D❤\uFE0F\u200D💋\u200D👨🏿",
                "🏳\uFE0F\u200D🌈 Adi",
                "\uD83E\uDEF1🏻\u200D\uD83E\uDEF2🏿", // newer than Java 17 knows
                "\uD83E\uDEE0",
                "🙂\u200D↔\uFE0F",
                "❤\uFE0F",
                "کتاب\u200Cها", // Persian
                "क्\u200Dष", // Devanagari
                "ශ්\u200Dරී", // Sinhala
                "രാജന്\u200D", // Malayalam, with an older spelling of its last letter
                "Ана",
                "李明",
                "e\u0301",
                "-",
                "Adi\u00A0B",
                "\uE000"
            })
    void usernamesOfEveryScriptAndWithEmojiAreTaken(String text) {
        assertThat(name(text)).isEqualTo(text);
    }

    @Test
    void aSocketIdTellsItsNode() {
        assertThat(new SocketId("n1.abc").node()).isEqualTo("n1");
        assertThat(new SocketId("whatever").node()).isEmpty();
    }

    private static String name(String text) {
        return ((Answer.Ok<Username>) Username.parse(text)).value().value();
    }
}
