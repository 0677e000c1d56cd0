package io.hadir.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final Refusals<TokenProblem> refusals = new Refusals<>(TokenProblem.class, nanos::get);

    @Test
    void eachReasonIsLoggedOncePerSecondWithTheNumberNotLogged() {
        assertThat(refusals.add(TokenProblem.EXPIRED)).hasValue(0);
        assertThat(refusals.add(TokenProblem.EXPIRED)).isEmpty();
        assertThat(refusals.add(TokenProblem.EXPIRED)).isEmpty();
        assertThat(refusals.add(TokenProblem.ISSUER)).hasValue(0);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1) - 1);
        assertThat(refusals.add(TokenProblem.EXPIRED)).isEmpty();
        nanos.incrementAndGet();
        assertThat(refusals.add(TokenProblem.EXPIRED)).hasValue(3);
        assertThat(refusals.count(TokenProblem.EXPIRED)).isEqualTo(5);
        assertThat(refusals.count(TokenProblem.USER)).isZero();
    }
}
