package io.hadir.torture;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
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
    private static final int QUIET_ROOMS = 2;
    private static final int QUIETER = 4;

    /** So long before Redis' clock jumps, one of so many people goes: their graces are running when it does. */
    private static final Duration BEFORE_JUMP = Duration.ofSeconds(1);

    private static final int GOES_BEFORE_JUMP = 6;

    /** Of so many faults, one comes while the one before is not over. */
    private static final int OVERLAPPING = 5;

    static Plan of(long seed, Duration length, int nodes, int people, Terms terms) {
        return of(seed, length, nodes, people, terms, kind -> true);
    }

    /** A plan with these kinds of faults only. */
    static Plan of(long seed, Duration length, int nodes, int people, Terms terms, Predicate<FaultKind> wanted) {
        Random random = new Random(seed);
        List<Step> steps = steps(random, length, nodes, people);
        List<Fault> faults = faults(random, length, nodes, terms, wanted);
        for (Fault fault : faults) {
            if (fault.kind().setsClock()) {
                steps.addAll(going(random, fault.at(), nodes, people));
                steps.addAll(going(random, fault.at().plus(fault.lasts()), nodes, people));
            } else if (fault.kind() == FaultKind.MESSAGE_LOST) {
                steps.addAll(comingAndGoing(random, fault, nodes, people));
            }
        }
        steps.removeIf(step -> step.at().compareTo(length) >= 0);
        steps.sort(Comparator.comparing(Step::at));
        return new Plan(steps, faults);
    }

    /** Some go right before Redis' clock jumps. */
    private static List<Step> going(Random random, Duration jump, int nodes, int people) {
        List<Step> steps = new ArrayList<>();
        for (int person = 0; person < people; person++) {
            if (random.nextInt(GOES_BEFORE_JUMP) == 0) {
                Duration at = jump.minus(upTo(random, BEFORE_JUMP));
                Action action = random.nextBoolean() ? Action.CLOSE : Action.RESET;
                steps.add(new Step(
                        at, person, action, room(random, person, people), random.nextInt(nodes), Duration.ZERO));
            }
        }
        return steps;
    }

    /** The regulars of the quiet rooms come or go while a message is to be lost: there is one, and none follows soon. */
    private static List<Step> comingAndGoing(Random random, Fault fault, int nodes, int people) {
        List<Step> steps = new ArrayList<>();
        for (int person = 0; person < Math.min(QUIET_ROOMS, people); person++) {
            Duration at = fault.at().plus(upTo(random, fault.lasts().dividedBy(2)));
            steps.add(new Step(at, person, Action.LEAVE, person, random.nextInt(nodes), Duration.ZERO));
        }
        return steps;
    }

    static int rooms(int people) {
        return Math.max(3, people / ROOM_SIZE) + QUIET_ROOMS;
    }

    /** Whether hardly anybody comes to a room: what goes wrong there is not put right by the next change. */
    static boolean isQuiet(int room) {
        return room < QUIET_ROOMS;
    }

    /** The quiet rooms have one regular each; everybody else goes to any of the others. */
    private static int room(Random random, int person, int people) {
        int drawn = QUIET_ROOMS + random.nextInt(rooms(people) - QUIET_ROOMS);
        return isQuiet(person) ? person : drawn;
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
                        room(random, person, people),
                        random.nextInt(nodes),
                        upTo(random, LONGEST_FREEZE)));
                Duration between = BETWEEN_STEPS.multipliedBy(isQuiet(person) ? QUIETER : 1);
                at = at.plus(between.dividedBy(4))
                        .plus(upTo(random, between.multipliedBy(3).dividedBy(2)));
            }
        }
        return steps;
    }

    private static List<Fault> faults(
            Random random, Duration length, int nodes, Terms terms, Predicate<FaultKind> wanted) {
        List<Fault> faults = new ArrayList<>();
        Deque<FaultKind> next = new ArrayDeque<>();
        Duration at = CALM;
        while (at.compareTo(length) < 0) {
            if (next.isEmpty()) {
                next.addAll(shuffled(random, wanted));
            }
            if (next.isEmpty()) {
                break;
            }
            FaultKind kind = next.removeFirst();
            Duration spread = kind.longest(terms).minus(kind.shortest(terms));
            Fault fault = new Fault(
                    at, kind, random.nextInt(nodes), kind.shortest(terms).plus(upTo(random, spread)));
            faults.add(fault);
            Duration pause = Duration.ofMillis(500).plus(upTo(random, Duration.ofMillis(6_500)));
            Duration peace = fault.lasts().plus(kind.lookedAt(terms)).plus(pause);
            if (random.nextInt(OVERLAPPING) == 0) {
                at = at.plus(upTo(random, Duration.ofSeconds(1)));
            } else {
                // What takes long to be put right has its peace only every other time, but for a single message.
                at = at.plus(kind.disorders() && random.nextBoolean() ? pause : peace);
            }
        }
        return faults;
    }

    /** Every kind, by its weight, in any order: so even a short run has all of them. */
    private static List<FaultKind> shuffled(Random random, Predicate<FaultKind> wanted) {
        List<FaultKind> kinds = new ArrayList<>();
        for (FaultKind kind : FaultKind.values()) {
            if (wanted.test(kind)) {
                kinds.addAll(Collections.nCopies(kind.weight(), kind));
            }
        }
        Collections.shuffle(kinds, random);
        return kinds;
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
