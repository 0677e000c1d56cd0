package io.hadir.presence.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.contract.TestLoop;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node judges others only after its own renewals have succeeded for the length of a lease. */
class LeaseKeeperTest {
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final CompletionStage<Boolean> KEPT = CompletableFuture.completedFuture(true);
    private static final CompletionStage<Boolean> LOST = CompletableFuture.completedFuture(false);

    private final TestLoop loop = new TestLoop();
    private final AtomicInteger regained = new AtomicInteger();
    private Supplier<CompletionStage<Boolean>> renewal = () -> LOST;
    private LeaseKeeper lease;

    @BeforeEach
    void start() {
        Nodes nodes = (Nodes) Proxy.newProxyInstance(
                Nodes.class.getClassLoader(),
                new Class<?>[] {Nodes.class},
                (proxy, method, given) -> switch (method.getName()) {
                    case "renewLease" -> renewal.get();
                    case "withoutLease" -> CompletableFuture.completedFuture(Set.of());
                    case "recordGone" -> CompletableFuture.completedFuture(Map.of());
                    case "self" -> "n";
                    case "endLease" -> CompletableFuture.completedFuture(null);
                    default -> null;
                });
        lease = new LeaseKeeper(nodes, loop, LEASE);
        lease.onRegained(regained::incrementAndGet);
        lease.start();
        loop.run();
        renewal = () -> KEPT;
        loop.advance(LEASE);
    }

    @Test
    void aNodeThatStartsMayJudgeAfterALease() {
        assertThat(lease.mayJudge()).isTrue();
        assertThat(regained).hasValue(0);
    }

    @Test
    void f52_aNodeWhoseLeaseWasLostSaysWhenItMayJudgeAgain() {
        loseOnce();
        loop.advance(LEASE.minusMillis(1));
        assertThat(lease.mayJudge()).isFalse();
        assertThat(regained).hasValue(0);
        loop.advance(Duration.ofMillis(1));

        assertThat(lease.mayJudge()).isTrue();
        assertThat(regained).hasValue(1);
        loop.advance(LEASE.multipliedBy(3));
        assertThat(regained).hasValue(1);
    }

    @Test
    void aLeaseThatIsLostAgainMeanwhileBeginsAnew() {
        loseOnce();
        loop.advance(LEASE.dividedBy(3));
        loseOnce();
        loop.advance(LEASE.minusMillis(1));
        assertThat(regained).hasValue(0);
        loop.advance(Duration.ofMillis(1));

        assertThat(regained).hasValue(1);
    }

    @Test
    void aLeaseThatWasGivenUpIsNotRenewed() {
        AtomicInteger renewals = new AtomicInteger();
        renewal = () -> {
            renewals.incrementAndGet();
            return KEPT;
        };
        lease.stop();
        loop.advance(LEASE);

        assertThat(renewals).hasValue(0);
    }

    private void loseOnce() {
        renewal = () -> {
            renewal = () -> KEPT;
            return LOST;
        };
        loop.advance(LEASE.dividedBy(3));
    }
}
