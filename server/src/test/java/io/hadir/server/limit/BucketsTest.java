package io.hadir.server.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BucketsTest {
    private static final int MAX_BUCKETS = 1_000;

    private final Buckets<Integer> buckets = new Buckets<>(10, MAX_BUCKETS);
    private long now;

    private int taken(int key, int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += buckets.take(key, 1, now) == 0 ? 1 : 0;
        }
        return taken;
    }

    @Test
    void eachKeyHasItsOwnBucket() {
        assertThat(taken(1, 100)).isEqualTo(20);
        assertThat(taken(2, 100)).isEqualTo(20);
        assertThat(taken(1, 100)).isZero();
    }

    @Test
    void aBucketInUseIsNotForgottenForNewOnes() {
        taken(0, 100);
        for (int key = 1; key < MAX_BUCKETS; key++) {
            taken(key, 1);
        }
        assertThat(taken(0, 1)).isZero();
    }

    @Test
    void theNumberOfBucketsIsBounded() {
        for (int key = 0; key < 100_000; key++) {
            taken(key, 1);
            assertThat(buckets.size()).isLessThanOrEqualTo(MAX_BUCKETS);
        }
    }

    @Test
    void fullBucketsAreForgottenAfterARush() {
        for (int key = 0; key < MAX_BUCKETS; key++) {
            taken(key, 20);
        }
        assertThat(buckets.size()).isEqualTo(MAX_BUCKETS);
        now += TimeUnit.SECONDS.toNanos(3);
        for (int key = 0; key < MAX_BUCKETS; key++) {
            now += TimeUnit.MILLISECONDS.toNanos(200);
            taken(MAX_BUCKETS + key, 1);
        }
        assertThat(buckets.size()).isLessThan(5);
    }

    @Test
    void withoutALimitNoBucketIsKept() {
        Buckets<Integer> free = new Buckets<>(0, MAX_BUCKETS);
        for (int i = 0; i < 100; i++) {
            assertThat(free.take(1, 1_000, 0)).isZero();
        }
        assertThat(free.size()).isZero();
    }
}
