package io.hadir.socketio.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);

    private int taken(TokenBucket bucket, int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += bucket.take(1, now) == 0 ? 1 : 0;
        }
        return taken;
    }

    @Test
    void aBurstOfTwiceTheRateIsAllowed() {
        assertThat(taken(new TokenBucket(50, now), 1_000)).isEqualTo(100);
    }

    @Test
    void itRefillsAtItsRateEvenWhenTheClockWrapsAround() {
        TokenBucket bucket = new TokenBucket(50, now);
        taken(bucket, 1_000);
        now += TimeUnit.MILLISECONDS.toNanos(100);
        assertThat(taken(bucket, 1_000)).isEqualTo(5);
        now += TimeUnit.SECONDS.toNanos(1);
        assertThat(taken(bucket, 1_000)).isEqualTo(50);
        now += TimeUnit.HOURS.toNanos(1);
        assertThat(taken(bucket, 1_000)).isEqualTo(100);
    }

    @Test
    void frequentAttemptsDoNotChangeTheRate() {
        TokenBucket bucket = new TokenBucket(10, now);
        taken(bucket, 1_000);
        int taken = 0;
        for (int i = 0; i < 10_000; i++) {
            now += TimeUnit.MICROSECONDS.toNanos(100);
            taken += bucket.take(1, now) == 0 ? 1 : 0;
        }
        assertThat(taken).isBetween(9, 10);
    }

    @Test
    void zeroAllowsEverything() {
        assertThat(taken(new TokenBucket(0, now), 10_000)).isEqualTo(10_000);
    }

    @Test
    void aHigherCostTakesMoreTokensAndWaitsLonger() {
        TokenBucket bucket = new TokenBucket(10, now);
        assertThat(bucket.take(15, now)).isZero();
        assertThat(bucket.take(6, now)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(bucket.take(20, now)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1_500));
        assertThat(bucket.take(5, now)).isZero();
    }

    @Test
    void aCostBeyondTheCapacityTakesAFullBucket() {
        TokenBucket bucket = new TokenBucket(1, now);
        assertThat(bucket.take(10, now)).isZero();
        assertThat(bucket.take(10, now)).isEqualTo(TimeUnit.SECONDS.toNanos(2));
    }
}
