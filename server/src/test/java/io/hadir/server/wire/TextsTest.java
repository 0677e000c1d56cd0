package io.hadir.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextsTest {
    private static final Duration TTL = Duration.ofHours(6);

    @ParameterizedTest
    @CsvSource({
        "21600,6+ hours,6+ jam",
        "3600,1+ hours,1+ jam",
        "5400,90+ minutes,90+ menit",
        "90,90+ seconds,90+ detik",
        "61,61+ seconds,61+ detik"
    })
    void theInactivityTextNamesTheLargestUnitThatDividesTheTtl(long seconds, String english, String indonesian) {
        SocketMessage.ForceLeave leave = leave(RemovalReason.INACTIVITY_TIMEOUT, null, Duration.ofSeconds(seconds));
        assertThat(Texts.STANDARD.of(leave, Language.EN))
                .isEqualTo("You have been logged out due to inactivity (" + english + " without activity)");
        assertThat(Texts.STANDARD.of(leave, Language.ID))
                .isEqualTo("Anda telah dikeluarkan karena tidak aktif (" + indonesian + " tanpa aktivitas)");
    }

    @Test
    void theMessageOfTheBackendOrTheRoomGoesBeforeAnyText() {
        Texts texts = new Texts(Language.EN, Map.of(Language.EN, Map.of(RemovalReason.KICKED, "Bye")));
        assertThat(texts.of(leave(RemovalReason.KICKED, "Be {time} nice", TTL), Language.EN))
                .isEqualTo("Be {time} nice");
        assertThat(texts.of(leave(RemovalReason.KICKED, null, TTL), Language.EN))
                .isEqualTo("Bye");
    }

    @Test
    void anOperatorsTextReplacesOneReasonInOneLanguage() {
        Texts texts = new Texts(
                Language.ID,
                Map.of(Language.ID, Map.of(RemovalReason.INACTIVITY_TIMEOUT, "Sudah {time}, dan {time} lagi")));
        assertThat(texts.of(leave(RemovalReason.INACTIVITY_TIMEOUT, null, TTL), null))
                .isEqualTo("Sudah 6+ jam, dan 6+ jam lagi");
        assertThat(texts.of(leave(RemovalReason.INACTIVITY_TIMEOUT, null, TTL), Language.EN))
                .startsWith("You have been logged out");
        assertThat(texts.of(leave(RemovalReason.PRESENCE_LOST, null, TTL), null))
                .isEqualTo("Anda tidak berada di ruang obrolan");
    }

    private static SocketMessage.ForceLeave leave(RemovalReason reason, @Nullable String message, Duration ttl) {
        return new SocketMessage.ForceLeave(new RoomId("r"), reason, message, ttl, Instant.EPOCH);
    }
}
