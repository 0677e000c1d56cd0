package io.hadir.torture;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Carries out the faults of the plan, and says to the model beforehand what may come of each. Blocks. */
final class Breaker {
    private static final Duration IN_DOUBT = Duration.ofSeconds(2);
    private static final int DELETED_AT_ONCE = 3;

    private final World world;
    private final List<Node> nodes;
    private final Store redis;
    private final Probe probe;
    private final AtomicBoolean redisBroken = new AtomicBoolean();

    Breaker(World world, List<Node> nodes, Store redis, Probe probe) {
        this.world = world;
        this.nodes = nodes;
        this.redis = redis;
        this.probe = probe;
    }

    /** Breaks something and makes it good again; does nothing if it is broken already. */
    void carryOut(Fault fault) throws IOException, InterruptedException {
        Node node = nodes.get(fault.node());
        AtomicBoolean broken = fault.kind().ofOneNode() ? node.broken : redisBroken;
        if (!broken.compareAndSet(false, true)) {
            return;
        }
        try {
            probe.awaitRedis();
            int where = fault.kind().ofOneNode() ? node.number : Timeline.ALL;
            if (fault.kind() == FaultKind.KEY_DELETED) {
                deleteSome(fault);
            } else {
                Timeline.Window window = begin(fault, where);
                try {
                    carryOut(fault, node);
                } finally {
                    end(fault, window, where);
                }
            }
            if (fault.kind() == FaultKind.NODE_KILL || fault.kind() == FaultKind.NODE_TERM) {
                pause(fault.lasts());
                node.start();
                onLoop(() -> say("server " + node.number + " is back"));
            }
        } finally {
            broken.set(false);
        }
    }

    private Timeline.Window begin(Fault fault, int where) {
        return onLoop(() -> {
            say("begins: " + name(fault, where));
            world.tally().broke(fault.kind());
            boolean renewed = world.isUndisturbed(
                    world.now() - world.terms().lease().multipliedBy(2).toNanos(), where);
            Timeline.Window window = world.timeline().begin(fault.kind(), where, world.now());
            if (fault.kind().loses()) {
                world.model().doubts(where);
            }
            if (fault.kind().ofOneNode()) {
                world.model().connectionsEnd(where);
            }
            if (fault.kind() == FaultKind.NODE_KILL) {
                if (!renewed) {
                    // Its lease may be an old one.
                    world.model().doubtAll(where);
                }
                world.model().nodeEnds(where, Cause.KILL);
            } else if (fault.kind() == FaultKind.NODE_TERM) {
                world.model().nodeEnds(where, Cause.TERMINATE);
            }
            return window;
        });
    }

    private static String name(Fault fault, int where) {
        return fault.kind().words() + (where == Timeline.ALL ? "" : ": server " + where);
    }

    private void end(Fault fault, Timeline.Window window, int where) {
        onLoop(() -> {
            say("is over: " + name(fault, where));
            window.end = world.now();
            if (fault.kind().loses()) {
                boolean atOnce = where == Timeline.ALL;
                world.model().doubtsUntil(where, world.now() + (atOnce ? 0 : IN_DOUBT.toNanos()));
            }
            return window;
        });
    }

    private void carryOut(Fault fault, Node node) throws IOException, InterruptedException {
        switch (fault.kind()) {
            case NODE_KILL -> node.kill();
            case NODE_TERM -> {
                if (!node.terminate()) {
                    onLoop(() -> {
                        world.findings()
                                .add(
                                        Findings.Kind.LEFT_BEHIND,
                                        "",
                                        "server " + node.number + " did not end by SIGTERM");
                        return node;
                    });
                }
            }
            case NODE_STOP, NODE_STOP_LONG -> {
                node.freeze(true);
                pause(fault.lasts());
                node.freeze(false);
            }
            case CLIENTS_RESET -> node.clients.cut(true).join();
            case CLIENTS_CUT -> node.clients.cut(false).join();
            case CLIENTS_FREEZE, CLIENTS_FREEZE_LONG -> during(fault, node.clients, node.clients.freeze());
            case STORE_RESET -> node.store.cut(true).join();
            case STORE_FREEZE, STORE_FREEZE_LONG -> during(fault, node.store, node.store.freeze());
            case STORE_DEAF -> during(fault, node.store, node.store.freezeAnswers());
            case REDIS_STOP -> {
                redis.freeze(true);
                pause(fault.lasts());
                redis.freeze(false);
            }
            case REDIS_KILL, REDIS_EMPTY -> {
                redis.kill();
                pause(fault.lasts());
                redis.startAgain(fault.kind() == FaultKind.REDIS_EMPTY);
            }
            case REDIS_FLUSH -> probe.flush();
            case REDIS_CLIENTS -> probe.killClients();
            case REDIS_PAUSE -> {
                probe.pauseWrites(fault.lasts());
                pause(fault.lasts());
            }
            case KEY_DELETED -> throw new IllegalStateException("has no window");
        }
    }

    private static void during(Fault fault, Link link, CompletableFuture<Void> frozen) throws InterruptedException {
        frozen.join();
        pause(fault.lasts());
        link.heal().join();
    }

    private void deleteSome(Fault fault) {
        Random random = new Random(fault.at().toMillis());
        List<Seat> some = onLoop(() -> {
            world.tally().broke(fault.kind());
            List<Seat> in = world.model().seats().stream()
                    .filter(Seat::isClaimed)
                    .sorted((a, b) -> (a.room + a.user).compareTo(b.room + b.user))
                    .toList();
            List<Seat> chosen = random.ints(DELETED_AT_ONCE, 0, Math.max(1, in.size()))
                    .limit(in.isEmpty() ? 0 : DELETED_AT_ONCE)
                    .mapToObj(in::get)
                    .distinct()
                    .toList();
            chosen.forEach(seat -> {
                world.story().of(seat.user, "its presence in " + seat.room + " is deleted by hand");
                world.model().doubts(seat, Stopwatch.NEVER);
            });
            return chosen;
        });
        try {
            some.forEach(probe::delete);
        } finally {
            onLoop(() -> {
                some.forEach(seat -> world.model().doubts(seat, world.now()));
                return some;
            });
        }
    }

    private Object say(String what) {
        world.story().ofAll("--- " + what);
        return what;
    }

    private <T> T onLoop(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, world.loop()).join();
    }

    private static void pause(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
