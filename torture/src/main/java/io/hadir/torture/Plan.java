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
 * What the users do and which faults occur, and when. The plan follows from the seed and the sizes alone; its outcome
 * also depends on the machine.
 */
record Plan(List<Step> steps, List<Fault> faults) {
    /** Everybody has joined before the first fault. */
    private static final Duration CALM = Duration.ofSeconds(6);

    private static final Duration BETWEEN_STEPS = Duration.ofSeconds(12);
    private static final Duration LONGEST_FREEZE = Duration.ofSeconds(6);
    private static final int ROOM_SIZE = 15;
    static final int QUIET_ROOMS = 2;
    private static final int QUIETER = 4;

    /**
     * Within this time before Redis' clock jumps, some users leave, so that grace periods are running during the jump.
     */
    private static final Duration BEFORE_JUMP = Duration.ofSeconds(1);

    /** One in this many users leaves before a jump. */
    private static final int GOES_BEFORE_JUMP = 6;

    /** One in this many faults begins before the previous one is over. */
    private static final int OVERLAPPING = 5;

    /** What a user who is in a room does. The words are also field names of the JSON certificate. */
    enum Action {
        LEAVE("leave", 14),
        LEAVE_EVERYWHERE("leave everywhere", 3),
        CLOSE("close the tab", 12),
        RESET("app killed (RST)", 12),
        VANISH("vanish without a word", 10),
        FREEZE("freeze and come back", 10),
        TAB("open a tab elsewhere", 14),
        CLOSE_TAB("close one of the tabs", 8),
        LEAVE_TAB("leave with one of the tabs", 12),
        REFRESH("refresh", 10),
        MOVE("go to another server", 12),
        IDLE("stop the heartbeats", 2);

        private final String words;
        private final int weight;

        Action(String words, int weight) {
            this.words = words;
            this.weight = weight;
        }

        String words() {
            return words;
        }
    }

    /**
     * Something that a user does. A user who is in no room joins the given one instead.
     *
     * @param at when, since the start
     * @param lasts how long a freeze lasts
     */
    record Step(Duration at, int user, Action action, int room, int node, Duration lasts) {}

    /**
     * Something that breaks.
     *
     * @param at when, since the start
     * @param node the server concerned; a random number if the fault concerns all
     * @param lasts how long until it is repaired
     */
    record Fault(Duration at, FaultKind kind, int node, Duration lasts) {
        @Override
        public String toString() {
            return "%7.2f s  %s%s%s"
                    .formatted(
                            at.toMillis() / 1000.0,
                            kind.description(),
                            kind.affectsOneNode() ? ": server " + node : "",
                            lasts.isZero() ? "" : ", for %.2f s".formatted(lasts.toMillis() / 1000.0));
        }
    }

    static Plan of(long seed, Duration length, int nodes, int users, ServerSettings settings) {
        return of(seed, length, nodes, users, settings, kind -> true);
    }

    /** Makes a plan with the wanted kinds of faults only. */
    static Plan of(
            long seed, Duration length, int nodes, int users, ServerSettings settings, Predicate<FaultKind> wanted) {
        Random random = new Random(seed);
        List<Step> steps = steps(random, length, nodes, users);
        List<Fault> faults = faults(random, length, nodes, settings, wanted);
        for (Fault fault : faults) {
            if (fault.kind().setsClock()) {
                steps.addAll(goingBefore(random, fault.at(), nodes, users));
                steps.addAll(goingBefore(random, fault.at().plus(fault.lasts()), nodes, users));
            } else if (fault.kind() == FaultKind.MESSAGE_LOST) {
                steps.addAll(changesInQuietRooms(random, fault, nodes, users));
            }
        }
        steps.removeIf(step -> step.at().compareTo(length) >= 0);
        steps.sort(Comparator.comparing(Step::at));
        return new Plan(steps, faults);
    }

    /** Some users go right before Redis' clock jumps. */
    private static List<Step> goingBefore(Random random, Duration jump, int nodes, int users) {
        List<Step> steps = new ArrayList<>();
        for (int user = 0; user < users; user++) {
            if (random.nextInt(GOES_BEFORE_JUMP) == 0) {
                Duration at = jump.minus(upTo(random, BEFORE_JUMP));
                Action action = random.nextBoolean() ? Action.CLOSE : Action.RESET;
                steps.add(new Step(at, user, action, room(random, user, users), random.nextInt(nodes), Duration.ZERO));
            }
        }
        return steps;
    }

    /**
     * While a message is to be lost, the regulars of the quiet rooms join or leave: no other message there soon hides
     * the loss.
     */
    private static List<Step> changesInQuietRooms(Random random, Fault fault, int nodes, int users) {
        List<Step> steps = new ArrayList<>();
        for (int user = 0; user < Math.min(QUIET_ROOMS, users); user++) {
            Duration at = fault.at().plus(upTo(random, fault.lasts().dividedBy(2)));
            steps.add(new Step(at, user, Action.LEAVE, user, random.nextInt(nodes), Duration.ZERO));
        }
        return steps;
    }

    static int rooms(int users) {
        return Math.max(3, users / ROOM_SIZE) + QUIET_ROOMS;
    }

    /** Whether a room has only one regular: there the next change does not soon repair a mistake. */
    static boolean isQuiet(int room) {
        return room < QUIET_ROOMS;
    }

    /** Each quiet room has one regular; all other users go to the other rooms. */
    private static int room(Random random, int user, int users) {
        int drawn = QUIET_ROOMS + random.nextInt(rooms(users) - QUIET_ROOMS);
        return isQuiet(user) ? user : drawn;
    }

    private static List<Step> steps(Random random, Duration length, int nodes, int users) {
        List<Step> steps = new ArrayList<>();
        for (int user = 0; user < users; user++) {
            Duration at = upTo(random, CALM.minusSeconds(2));
            while (at.compareTo(length) < 0) {
                steps.add(new Step(
                        at,
                        user,
                        weighted(random, Action.values(), action -> action.weight),
                        room(random, user, users),
                        random.nextInt(nodes),
                        upTo(random, LONGEST_FREEZE)));
                Duration between = BETWEEN_STEPS.multipliedBy(isQuiet(user) ? QUIETER : 1);
                at = at.plus(between.dividedBy(4))
                        .plus(upTo(random, between.multipliedBy(3).dividedBy(2)));
            }
        }
        return steps;
    }

    private static List<Fault> faults(
            Random random, Duration length, int nodes, ServerSettings settings, Predicate<FaultKind> wanted) {
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
            Duration spread = kind.longest(settings).minus(kind.shortest(settings));
            Fault fault = new Fault(
                    at, kind, random.nextInt(nodes), kind.shortest(settings).plus(upTo(random, spread)));
            faults.add(fault);
            Duration pause = Duration.ofMillis(500).plus(upTo(random, Duration.ofMillis(6_500)));
            Duration observed = fault.lasts().plus(kind.observedFor(settings)).plus(pause);
            if (random.nextInt(OVERLAPPING) == 0) {
                at = at.plus(upTo(random, Duration.ofSeconds(1)));
            } else {
                // Only half of the faults that leave disorder are left alone until they are repaired.
                at = at.plus(kind.leavesDisorder() && random.nextBoolean() ? pause : observed);
            }
        }
        return faults;
    }

    /** All wanted kinds, as often as they weigh, shuffled: even a short run has each of them. */
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
