package io.hadir.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Somebody who comes and goes by the plan, with one tab or several, and mostly comes back when thrown out. */
final class Person implements Visitor.Host {
    private static final int MOST_TABS = 4;
    private static final double COMES_BACK = 0.75;
    private static final Duration PAUSE_AFTER_EVERYWHERE = Duration.ofSeconds(2);

    private final World world;
    private final String user;
    private final Random random;
    private final List<Visitor> visitors = new ArrayList<>();
    private long busyUntil;
    private boolean over;

    Person(World world, int number, long seed) {
        this.world = world;
        this.user = "p" + number;
        this.random = new Random(seed * 31 + number);
    }

    void act(Step step) {
        visitors.removeIf(Visitor::isOver);
        if (world.now() < busyUntil || over) {
            return;
        }
        List<Visitor> in = visitors.stream().filter(Visitor::isIn).toList();
        if (in.isEmpty()) {
            goAway();
            open("room-" + step.room(), step.node());
            return;
        }
        world.tally().did(step.action());
        act(step, in, in.get(0));
    }

    private void act(Step step, List<Visitor> in, Visitor first) {
        switch (step.action()) {
            case LEAVE -> in.forEach(visitor -> visitor.leave(false, () -> {}));
            case LEAVE_EVERYWHERE -> leaveEverywhere(in, first);
            case CLOSE -> in.forEach(visitor -> visitor.close(false));
            case RESET -> in.forEach(visitor -> visitor.close(true));
            case VANISH -> in.forEach(this::vanish);
            case FREEZE ->
                in.forEach(visitor -> {
                    visitor.fallSilent();
                    world.after(step.lasts(), visitor::wakeUp);
                });
            case TAB -> {
                if (in.size() < MOST_TABS) {
                    open(first.room, step.node());
                }
            }
            case CLOSE_TAB -> first.close(random.nextBoolean());
            case LEAVE_TAB -> {
                // Whoever has one tab opens another, to leave with one of the two later.
                if (in.size() > 1) {
                    in.get(random.nextInt(in.size())).leave(false, () -> {});
                } else {
                    open(first.room, step.node());
                }
            }
            case REFRESH -> again(in, first.room, first.node);
            case MOVE -> again(in, first.room, step.node());
            case IDLE -> {
                if (visitors.size() > 1) {
                    return;
                }
                first.idle();
                // Until that has come to its end.
                busyUntil = world.now()
                        + Cause.IDLE.allowed(world.terms()).plusSeconds(2).toNanos();
            }
        }
    }

    private void again(List<Visitor> in, String room, int node) {
        in.forEach(visitor -> visitor.close(random.nextBoolean()));
        open(room, node);
    }

    private void vanish(Visitor visitor) {
        visitor.fallSilent();
        // Long after the server has given it up, so that no descriptor is kept.
        world.after(Duration.ofSeconds(60), () -> visitor.close(true));
    }

    private void leaveEverywhere(List<Visitor> in, Visitor first) {
        if (!world.isWhole(first.node) || visitors.size() > in.size()) {
            // What becomes of a tab that is just coming cannot be told.
            in.forEach(visitor -> visitor.leave(false, () -> {}));
            return;
        }
        busyUntil = world.now() + PAUSE_AFTER_EVERYWHERE.toNanos();
        List<Tab> others = new ArrayList<>();
        for (Visitor visitor : in) {
            Tab tab = visitor.tab;
            if (visitor != first && tab != null) {
                world.model().endsFrom(tab, Cause.LEAVE, first.node);
                others.add(tab);
            }
        }
        first.leave(true, () -> others.forEach(world.model()::revives));
        world.after(
                PAUSE_AFTER_EVERYWHERE,
                () -> in.stream()
                        .filter(visitor -> visitor != first && !visitor.isIn())
                        .forEach(visitor -> visitor.close(false)));
    }

    private void open(String room, int node) {
        visitors.add(new Visitor(world, user, room, node, this));
    }

    /** Everything ends that this one has open. */
    void goAway() {
        visitors.forEach(visitor -> {
            if (!visitor.isOver() && !visitor.isSilent()) {
                visitor.close(false);
            }
        });
        visitors.removeIf(Visitor::isOver);
    }

    /** Goes, and does not come back. */
    void goHome() {
        over = true;
        visitors.forEach(visitor -> visitor.close(true));
    }

    @Override
    public void lost(Visitor visitor) {
        visitors.remove(visitor);
        boolean elsewhere = visitors.stream().anyMatch(Visitor::isIn);
        if (over || elsewhere || world.now() < busyUntil || random.nextDouble() > COMES_BACK) {
            return;
        }
        int node = random.nextBoolean() ? visitor.node : random.nextInt(world.nodes());
        world.after(Duration.ofMillis(50 + random.nextInt(1_500)), () -> {
            visitors.removeIf(Visitor::isOver);
            if (visitors.isEmpty() && !over) {
                open(visitor.room, node);
            }
        });
    }
}
