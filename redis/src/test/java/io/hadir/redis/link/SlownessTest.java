package io.hadir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlownessTest {
    private static final Duration SLOWEST = Duration.ofMillis(400);

    private final LinkHealth.Slowness slowness = new LinkHealth.Slowness(SLOWEST);

    @Test
    void threeSlowAnswersInARowAreTooSlow() {
        assertThat(answers(401, 401)).isFalse();
        assertThat(answers(401)).isTrue();
    }

    @Test
    void slowAnswersWithQuickOnesInBetweenAreNotTooSlow() {
        assertThat(answers(900, 900, 10, 900, 900, 400, 900, 900)).isFalse();
    }

    @Test
    void threeClearlyQuickerAnswersInARowEndTheSlowness() {
        answers(500, 500, 500);
        assertThat(answers(300, 300, 500, 300, 300)).isTrue();
        assertThat(answers(300)).isFalse();
    }

    @Test
    void answersAroundTheLimitDoNotChangeItBackAndForth() {
        answers(500, 500, 500);
        assertThat(answers(390, 390, 390, 410, 390, 390, 390, 390)).isTrue();
    }

    @Test
    void everyChangeIsReportedOnce() {
        assertThat(slowness.changes(Duration.ofMillis(500))).isFalse();
        assertThat(slowness.changes(Duration.ofMillis(500))).isFalse();
        assertThat(slowness.changes(Duration.ofMillis(500))).isTrue();
        assertThat(slowness.changes(Duration.ofMillis(500))).isFalse();
    }

    /** Whether it is too slow after answers that took so many milliseconds. */
    private boolean answers(long... millis) {
        for (long took : millis) {
            slowness.changes(Duration.ofMillis(took));
        }
        return slowness.isSlow();
    }
}
