package io.hadir.engineio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LivenessTest {
    private static final long START = Long.MAX_VALUE - 50;

    private final Liveness liveness = new Liveness(START);

    @Test
    void aClientThatWasNotAskedHasAllTheTime() {
        assertThat(liveness.remaining(START + 1_000, 100)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void thereIsOnePingAtATime() {
        assertThat(liveness.ping(START)).isTrue();
        assertThat(liveness.ping(START + 10)).isFalse();
        liveness.pong(START + 20);
        assertThat(liveness.ping(START + 30)).isTrue();
    }

    @Test
    void theTimeToAnswerRunsFromThePingAlsoWhenTheClockWrapsAround() {
        liveness.ping(START);
        assertThat(liveness.remaining(START + 99, 100)).isEqualTo(1);
        assertThat(liveness.remaining(START + 100, 100)).isZero();
        liveness.pong(START + 101);
        assertThat(liveness.remaining(START + 1_000, 100)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void silenceIsTheTimeSinceTheLastAnswer() {
        assertThat(liveness.silence(START + 70)).isEqualTo(70);
        liveness.ping(START + 70);
        assertThat(liveness.silence(START + 80)).isEqualTo(80);
        liveness.pong(START + 90);
        assertThat(liveness.silence(START + 100)).isEqualTo(10);
    }
}
