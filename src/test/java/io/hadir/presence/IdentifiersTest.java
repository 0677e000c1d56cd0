package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdentifiersTest {
    @ParameterizedTest
    @ValueSource(strings = {"1", "a", "A-Z_0.9~@", "...a", "Presence", "__proto__", "-1"})
    void ordinaryIdsAreTakenAsTheyAre(String text) {
        assertThat(RoomId.parse(text)).isEqualTo(Answer.ok(new RoomId(text)));
        assertThat(UserId.parse(text)).isEqualTo(Answer.ok(new UserId(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a b", "a:b", "*", "{a}", "a\n", "ä", "а", "a/b", "%41"})
    void a22_otherIdsAreRefusedAndCannotBeMade(String text) {
        assertThat(RoomId.parse(text))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.error().field()).isEqualTo("roomId"));
        assertThat(UserId.parse(text)).isInstanceOf(Answer.Refused.class);
        assertThatThrownBy(() -> new RoomId(text)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new UserId(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void idsHaveALongestLengthAndOneRoomIsReserved() {
        assertThat(RoomId.parse("x".repeat(128))).isInstanceOf(Answer.Ok.class);
        assertThat(RoomId.parse("x".repeat(129))).isInstanceOf(Answer.Refused.class);
        assertThat(RoomId.parse("presence")).isInstanceOf(Answer.Refused.class);
        assertThat(UserId.parse("presence")).isInstanceOf(Answer.Ok.class);
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

    @ParameterizedTest
    @CsvSource({"21600,6+ hours", "3600,1+ hours", "5400,90+ minutes", "90,90+ seconds", "61,61+ seconds"})
    void theInactivityMessageNamesTheLargestUnitThatDividesTheTtl(long seconds, String words) {
        RoomRules rules = new RoomRules(Duration.ofSeconds(seconds), null);
        assertThat(rules.message(LeaveReason.INACTIVITY_TIMEOUT, settings(null)))
                .isEqualTo("You have been logged out due to inactivity (" + words + " without activity)");
    }

    @Test
    void theRoomsMessageGoesBeforeTheConfiguredOne() {
        Duration ttl = Duration.ofHours(6);
        assertThat(new RoomRules(ttl, "room").message(LeaveReason.INACTIVITY_TIMEOUT, settings("all")))
                .isEqualTo("room");
        assertThat(new RoomRules(ttl, null).message(LeaveReason.INACTIVITY_TIMEOUT, settings("all")))
                .isEqualTo("all");
        assertThat(new RoomRules(ttl, "room").message(LeaveReason.PRESENCE_LOST, settings("all")))
                .isEqualTo("You are not in the chatroom");
        assertThat(new RoomRules(ttl, "room").message(LeaveReason.KICKED, settings("all")))
                .isEqualTo("You have been removed from the chatroom");
    }

    private static PresenceSettings settings(@Nullable String message) {
        Duration any = Duration.ofSeconds(1);
        return new PresenceSettings(any, any, any, any, any, message, 1000, 50);
    }

    private static String name(String text) {
        return ((Answer.Ok<Username>) Username.parse(text)).value().value();
    }
}
