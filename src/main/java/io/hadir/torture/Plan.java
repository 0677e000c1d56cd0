package io.hadir.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.ToIntFunction;

/**
 * Everything that is going to happen, made of a seed alone: who does what when, and what is broken when. Two runs with
 * the same seed and sizes have the same plan; what comes of it is up to the machine.
 */
record Plan(List<Step> steps, List<Fault> faults) {
    /** Everybody is in before the first fault. */
    private static final Duration CALM = Duration.ofSeconds(6);

    private static final Duration BETWEEN_STEPS = Duration.ofSeconds(12);
    private static final Duration LONGEST_FREEZE = Duration.ofSeconds(6);
    private static final int ROOM_SIZE = 15;

    /** Of so many faults, one comes while the one before is not over. */
    private static final int OVERLAPPING = 5;

    static Plan of(long seed, Duration length, int nodes, int people, Terms terms) {
        Random random = new Random(seed);
        return new Plan(steps(random, length, nodes, people), faults(random, length, nodes, terms));
    }

    static int rooms(int people) {
        return Math.max(3, people / ROOM_SIZE);
    }

    private static List<Step> steps(Random random, Duration length, int nodes, int people) {
        List<Step> steps = new ArrayList<>();
        for (int person = 0; person < people; person++) {
            Duration at = upTo(random, CALM.minusSeconds(2));
            while (at.compareTo(length) < 0) {
                steps.add(new Step(
                        at,
                        person,
                        weighted(random, Action.values(), Action::weight),
                        random.nextInt(rooms(people)),
                        random.nextInt(nodes),
                        upTo(random, LONGEST_FREEZE)));
                at = at.plus(BETWEEN_STEPS.dividedBy(4))
                        .plus(upTo(random, BETWEEN_STEPS.multipliedBy(3).dividedBy(2)));
            }
        }
        steps.sort(Comparator.comparing(Step::at));
        return steps;
    }

    private static List<Fault> faults(Random random, Duration length, int nodes, Terms terms) {
        List<Fault> faults = new ArrayList<>();
        Duration at = CALM;
        while (at.compareTo(length) < 0) {
            FaultKind kind = weighted(random, FaultKind.values(), FaultKind::weight);
            Duration spread = kind.longest(terms).minus(kind.shortest(terms));
            Fault fault = new Fault(
                    at, kind, random.nextInt(nodes), kind.shortest(terms).plus(upTo(random, spread)));
            faults.add(fault);
            boolean overlapping = random.nextInt(OVERLAPPING) == 0;
            Duration pause = Duration.ofMillis(500).plus(upTo(random, Duration.ofMillis(6_500)));
            at = overlapping
                    ? at.plus(upTo(random, Duration.ofSeconds(1)))
                    : at.plus(fault.lasts()).plus(pause);
        }
        return faults;
    }

    private static Duration upTo(Random random, Duration most) {
        return Duration.ofMillis(random.nextInt((int) most.toMillis() + 1));
    }

    private static <T> T weighted(Random random, T[] all, ToIntFunction<T> weight) {
        int sum = 0;
        for (T one : all) {
            sum += weight.applyAsInt(one);
        }
        int drawn = random.nextInt(sum);
        for (T one : all) {
            drawn -= weight.applyAsInt(one);
            if (drawn < 0) {
                return one;
            }
        }
        throw new IllegalStateException("weights changed while drawing");
    }
}
