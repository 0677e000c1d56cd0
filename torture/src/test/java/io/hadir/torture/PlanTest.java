package io.hadir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.torture.Plan.Action;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static final Duration LENGTH = Duration.ofMinutes(30);

    @Test
    void thePlanFollowsFromTheSeed() {
        assertThat(plan(1)).isEqualTo(plan(1)).isNotEqualTo(plan(2));
    }

    @Test
    void halfAnHourHasEveryKindOfFaultAndEveryAction() {
        assertThat(plan(1).faults()).extracting(Plan.Fault::kind).contains(FaultKind.values());
        assertThat(plan(1).steps()).extracting(Plan.Step::action).contains(Action.values());
    }

    @Test
    void everyFaultLastsAsLongAsItsKindAllows() {
        assertThat(plan(3).faults())
                .allSatisfy(fault -> assertThat(fault.lasts())
                        .isBetween(
                                fault.kind().shortest(ServerSettings.SHORT),
                                fault.kind().longest(ServerSettings.SHORT)));
    }

    @Test
    void everythingHappensBeforeTheEnd() {
        assertThat(plan(1).faults()).allSatisfy(fault -> assertThat(fault.at()).isLessThan(LENGTH));
        assertThat(plan(1).steps()).allSatisfy(step -> assertThat(step.at()).isLessThan(LENGTH));
    }

    @Test
    void someUsersGoInTheSecondBeforeRedisClockJumps() {
        Plan plan = plan(1);
        assertThat(plan.faults().stream().filter(fault -> fault.kind().setsClock()))
                .isNotEmpty()
                .allSatisfy(fault -> {
                    assertThat(goingBefore(plan, fault.at())).isPositive();
                    Duration back = fault.at().plus(fault.lasts());
                    assertThat(goingBefore(plan, back) > 0 || back.compareTo(LENGTH) >= 0)
                            .isTrue();
                });
    }

    @Test
    void aUserComesOrGoesInEachQuietRoomWhileAMessageIsToBeLost() {
        Plan plan = plan(1);
        assertThat(plan.faults().stream().filter(fault -> fault.kind() == FaultKind.MESSAGE_LOST))
                .isNotEmpty()
                .allSatisfy(fault -> assertThat(plan.steps().stream()
                                .filter(step -> Plan.isQuiet(step.user()))
                                .filter(step -> step.at().compareTo(fault.at()) >= 0
                                        && step.at().compareTo(fault.at().plus(fault.lasts())) <= 0)
                                .map(Plan.Step::room))
                        .contains(0, 1));
    }

    private static long goingBefore(Plan plan, Duration jump) {
        return plan.steps().stream()
                .filter(step -> step.action() == Action.CLOSE || step.action() == Action.RESET)
                .filter(step -> step.at().compareTo(jump) <= 0 && step.at().compareTo(jump.minusSeconds(1)) >= 0)
                .count();
    }

    private static Plan plan(long seed) {
        return Plan.of(seed, LENGTH, 3, 50, ServerSettings.SHORT);
    }
}
