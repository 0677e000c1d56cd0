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
