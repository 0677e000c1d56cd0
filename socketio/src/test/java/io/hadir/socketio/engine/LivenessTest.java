package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LivenessTest {
    private final Liveness liveness = new Liveness(at(0));

    /** Shortly before the clock wraps around. */
    private static long at(long sinceStart) {
        return Long.MAX_VALUE - 50 + sinceStart;
    }

    @Test
    void aClientThatWasNotPingedCannotBeLate() {
        assertThat(liveness.remaining(at(1_000), 100)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void onlyOnePingIsOpenAtATime() {
        assertThat(liveness.ping(at(0))).isTrue();
        assertThat(liveness.ping(at(10))).isFalse();
        liveness.pong(at(20));
        assertThat(liveness.ping(at(30))).isTrue();
    }

    @Test
    void onePongAnswersAPing() {
        assertThat(liveness.pong(at(0))).isFalse();
        liveness.ping(at(10));
        assertThat(liveness.pong(at(20))).isTrue();
        assertThat(liveness.pong(at(30))).isFalse();
    }

    @Test
    void theTimeToAnswerStartsAtThePingEvenWhenTheClockWrapsAround() {
        liveness.ping(at(0));
        assertThat(liveness.remaining(at(99), 100)).isEqualTo(1);
        assertThat(liveness.remaining(at(100), 100)).isZero();
        liveness.pong(at(101));
        assertThat(liveness.remaining(at(1_000), 100)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void silenceIsTheTimeSinceTheLastPong() {
        assertThat(liveness.silence(at(70))).isEqualTo(70);
        liveness.ping(at(70));
        assertThat(liveness.silence(at(80))).isEqualTo(80);
        liveness.pong(at(90));
        assertThat(liveness.silence(at(100))).isEqualTo(10);
    }
}
