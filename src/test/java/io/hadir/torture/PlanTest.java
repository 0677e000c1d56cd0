package io.hadir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static final Duration LENGTH = Duration.ofMinutes(30);

    @Test
    void aSeedMakesOnePlanAndAnotherSeedAnother() {
        assertThat(plan(1)).isEqualTo(plan(1)).isNotEqualTo(plan(2));
    }

    @Test
    void halfAnHourHasEveryKindOfFaultAndEveryAction() {
        assertThat(plan(1).faults()).extracting(Fault::kind).contains(FaultKind.values());
        assertThat(plan(1).steps()).extracting(Step::action).contains(Action.values());
    }

    @Test
    void everyFaultLastsAsLongAsItsKindMay() {
        assertThat(plan(3).faults())
                .allSatisfy(fault -> assertThat(fault.lasts())
                        .isBetween(
                                fault.kind().shortest(Terms.SHORT), fault.kind().longest(Terms.SHORT)));
    }

    @Test
    void everythingHappensInTheTimeThatThereIs() {
        assertThat(plan(1).faults()).allSatisfy(fault -> assertThat(fault.at()).isLessThan(LENGTH));
        assertThat(plan(1).steps()).allSatisfy(step -> assertThat(step.at()).isLessThan(LENGTH));
    }

    private static Plan plan(long seed) {
        return Plan.of(seed, LENGTH, 3, 50, Terms.SHORT);
    }
}
