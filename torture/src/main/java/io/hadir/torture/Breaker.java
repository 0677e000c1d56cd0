package io.hadir.torture;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Carries out the faults of the plan, and says to the model beforehand what may come of each. Blocks. */
final class Breaker {
    private static final Duration IN_DOUBT = Duration.ofSeconds(2);
    private static final int DELETED_AT_ONCE = 3;

    private static final Duration HOUR = Duration.ofHours(1);

    private final World world;
    private final List<Node> nodes;
    private final Store redis;
    private final Link own;
    private final Probe probe;
    private final Lists lists;
    private final EventLoopGroup loop;
    private final AtomicBoolean redisBroken = new AtomicBoolean();

    /**
     * @param own the way of those who look at Redis themselves
     * @param loop carries the link of a replica
     */
    Breaker(World world, List<Node> nodes, Store redis, Link own, Probe probe, Lists lists, EventLoopGroup loop) {
        this.world = world;
        this.nodes = nodes;
        this.redis = redis;
        this.own = own;
        this.probe = probe;
        this.lists = lists;
        this.loop = loop;
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
            switch (fault.kind()) {
                case KEY_DELETED -> deleteSome(fault);
                case MESSAGE_LOST -> loseOne(fault, node);
                case REDIS_OLD_FILE -> returnToOldFile(fault);
                case REDIS_FAILOVER -> failOver(fault);
                case CLOCK_HOUR -> setClock(fault, HOUR);
                case CLOCK_LEASE -> setClock(fault, world.terms().pastLease());
                default -> within(fault, world.now(), () -> carryOut(fault, node));
            }
            if (fault.kind() == FaultKind.NODE_KILL || fault.kind() == FaultKind.NODE_TERM) {
                pause(fault.lasts());
                node.start();
                onLoop(() -> say("server " + node.number + " is back"));
            }
            if (fault.kind() == FaultKind.CLOCK_LEASE) {
                // What has little time left is renewed before Redis may be away for long.
                pause(world.terms().heartbeat().multipliedBy(2));
            }
        } finally {
            broken.set(false);
        }
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    /** Does something, of which the others know from when to when it is done; it may undo what was done since a time. */
    private void within(Fault fault, long undoes, Work work) throws IOException, InterruptedException {
        int where = fault.kind().ofOneNode() ? fault.node() : Timeline.ALL;
        Timeline.Window window = begin(fault, where, undoes);
        try {
            work.run();
        } finally {
            end(fault, window, where);
        }
    }

    private Timeline.Window begin(Fault fault, int where, long undoes) {
        return onLoop(() -> {
            say("begins: " + name(fault, where));
            world.tally().broke(fault.kind());
            boolean renewed = world.isUndisturbed(
                    world.now() - world.terms().lease().multipliedBy(2).toNanos(), where);
            Timeline.Window window = world.timeline().begin(fault.kind(), where, undoes, world.now());
            if (fault.kind().loses()) {
                world.model().doubts(where);
            }
            if (fault.kind() == FaultKind.CLOCK_LEASE) {
                world.model().doubtsAbsent(node -> world.isWhole(node));
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
                // Until then a seat may be kept by what holds it no more.
                Duration inDoubt = fault.kind().disorders() || fault.kind() == FaultKind.NODE_STOP_LONG
                        ? world.terms().sweep().plus(Cause.TELLING)
                        : where == Timeline.ALL ? Duration.ZERO : IN_DOUBT;
                world.model().doubtsUntil(where, world.now() + inDoubt.toNanos());
            }
            if (fault.kind() == FaultKind.CLOCK_LEASE) {
                world.model().doubtsAbsent(node -> world.timeline().calmBut(window, window.start, world.now(), node));
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
                if (fault.kind() == FaultKind.REDIS_EMPTY) {
                    redis.startEmpty();
                } else {
                    redis.startAgain();
                }
            }
            case REDIS_FLUSH -> probe.flush();
            case REDIS_CLIENTS -> probe.killClients();
            case REDIS_PAUSE -> {
                probe.pauseWrites(fault.lasts());
                pause(fault.lasts());
            }
            default -> throw new IllegalStateException(fault.kind() + " is carried out elsewhere");
        }
    }

    /** Two jumps: ahead or behind, as the fault's number has it, and later back to where it was. */
    private void setClock(Fault fault, Duration off) throws IOException, InterruptedException {
        try {
            within(fault, world.now(), () -> redis.setClock(fault.node() % 2 == 0 ? off : off.negated()));
            pause(fault.lasts());
        } finally {
            within(fault, world.now(), () -> redis.setClock(Duration.ZERO));
        }
    }

    private void returnToOldFile(Fault fault) throws IOException, InterruptedException {
        long undoes = world.now();
        Path copy = redis.copy();
        pause(fault.lasts());
        within(fault, undoes, () -> {
            redis.kill();
            redis.startFrom(copy);
        });
    }

    private void failOver(Fault fault) throws IOException, InterruptedException {
        try (Store.Replica replica = redis.replica(loop)) {
            long undoes = world.now();
            replica.lag();
            pause(fault.lasts());
            within(fault, undoes, () -> {
                redis.kill();
                replica.takeOver();
                own.leadTo(redis.port());
                nodes.forEach(node -> node.store.leadTo(redis.port()));
            });
        }
    }

    /** One message about one room does not reach the server; a quiet room most of the time. */
    private void loseOne(Fault fault, Node node) throws InterruptedException {
        Random random = new Random(fault.at().toMillis());
        int room = random.nextInt(4) > 0 ? random.nextInt(2) : random.nextInt(lists.rooms());
        CompletableFuture<Void> lost = new CompletableFuture<>();
        node.store
                .lose(":room-" + room + ":", () -> lost.completeAsync(() -> messageLost(fault, room), world.loop()))
                .join();
        try {
            lost.get(fault.lasts().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException quiet) {
            node.store.loseNothing().join();
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause());
        }
    }

    private @Nullable Void messageLost(Fault fault, int room) {
        say("lost: a message about room-" + room + " to server " + fault.node());
        world.tally().broke(fault.kind());
        world.timeline().begin(fault.kind(), fault.node(), world.now()).end = world.now();
        return null;
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
                some.forEach(seat -> {
                    world.model().doubts(seat, world.now());
                    lists.deleted(seat, () -> probe.has(seat));
                });
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
