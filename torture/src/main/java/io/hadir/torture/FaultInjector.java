package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import io.hadir.torture.Findings.Kind;
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

/** Carries out the faults of the plan, and tells the models beforehand what each may cause. Blocks. */
final class FaultInjector {
    private static final Duration IN_DOUBT = Duration.ofSeconds(2);
    private static final int DELETED_AT_ONCE = 3;

    private static final Duration HOUR = Duration.ofHours(1);

    private final Run run;
    private final List<Node> nodes;
    private final List<AttachedApp> apps;
    private final BreakableRedis redis;
    private final Link probeLink;
    private final RedisProbe probe;
    private final HttpProbe http;
    private final EventLoopGroup loop;
    private final AtomicBoolean redisBroken = new AtomicBoolean();

    /**
     * @param apps those between clients and servers; none if clients are connected directly
     * @param probeLink the link of the probe, which must follow Redis to another port
     * @param loop runs the link of a replica
     */
    FaultInjector(
            Run run,
            List<Node> nodes,
            List<AttachedApp> apps,
            BreakableRedis redis,
            Link probeLink,
            RedisProbe probe,
            HttpProbe http,
            EventLoopGroup loop) {
        this.run = run;
        this.nodes = nodes;
        this.apps = apps;
        this.redis = redis;
        this.probeLink = probeLink;
        this.probe = probe;
        this.http = http;
        this.loop = loop;
    }

    /** Breaks something and repairs it; does nothing if it is broken already. */
    void inject(Plan.Fault fault) throws IOException, InterruptedException {
        Node node = nodes.get(fault.node());
        AtomicBoolean broken = !fault.kind().affectsOneNode()
                ? redisBroken
                : fault.kind().isOfApp() ? apps.get(fault.node()).broken : node.broken;
        if (!broken.compareAndSet(false, true)) {
            return;
        }
        if (broken == node.broken && isLastForTrunks()) {
            broken.set(false);
            return;
        }
        try {
            probe.awaitRedis();
            switch (fault.kind()) {
                case KEY_DELETED -> deletePresences(fault);
                case MESSAGE_LOST -> loseMessage(fault, node);
                case REDIS_OLD_FILE -> returnToOldFile(fault);
                case REDIS_FAILOVER -> failOver(fault);
                case CLOCK_HOUR -> setClock(fault, HOUR);
                case CLOCK_LEASE -> setClock(fault, run.settings().clockJumpPastLease());
                default -> within(fault, run.now(), () -> inject(fault, node));
            }
            if (fault.kind().endsNode()) {
                pause(fault.lasts());
                node.start();
                onLoop(() -> record("server " + node.number + " is back"));
            }
            if (fault.kind() == FaultKind.APP_KILL) {
                pause(fault.lasts());
                apps.get(fault.node()).start();
                onLoop(() -> record("app " + fault.node() + " is back"));
            }
            if (fault.kind() == FaultKind.CLOCK_LEASE) {
                // Heartbeats renew the presences that have little time left before another fault can stop them.
                pause(run.settings().heartbeat().multipliedBy(2));
            }
        } finally {
            broken.set(false);
        }
    }

    /** Whether trunks would have nowhere to move: their users would have to leave, which proves nothing. */
    private boolean isLastForTrunks() {
        return run.settings().attached() && nodes.size() > 1 && nodes.stream().allMatch(node -> node.broken.get());
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    /** Records when a fault begins and ends; it may undo everything since the given time. */
    private void within(Plan.Fault fault, long undoesSince, Work work) throws IOException, InterruptedException {
        int where = fault.kind().concerned(fault.node(), run.settings().attached());
        FaultTimeline.Window window = begin(fault, where, undoesSince);
        try {
            work.run();
        } finally {
            end(fault, window, where);
        }
    }

    private FaultTimeline.Window begin(Plan.Fault fault, int where, long undoesSince) {
        return callOnLoop(() -> {
            record("begins: " + name(fault, where));
            run.statistics().count(fault.kind());
            boolean renewed = run.isUndisturbed(
                    run.now() - run.settings().lease().multipliedBy(2).toNanos(), where);
            FaultTimeline.Window window = run.timeline().begin(fault.kind(), where, undoesSince, run.now());
            if (window.losesPresences) {
                run.model().beginDoubt(where);
            }
            if (fault.kind() == FaultKind.CLOCK_LEASE) {
                run.model().doubtWithoutHeartbeat(node -> run.isWhole(node));
            }
            if (where != FaultTimeline.ALL) {
                run.model().connectionsEnded(where);
            }
            if (fault.kind() == FaultKind.APP_KILL) {
                // Its trunk ends with it, so its users get the grace period.
                run.model().nodeEnded(where, Cause.TERMINATE);
            } else if (run.settings().attached()) {
                // The clients' connections are not concerned.
                return window;
            } else if (fault.kind() == FaultKind.NODE_KILL) {
                if (!renewed) {
                    // Its lease may have been renewed long ago.
                    run.model().doubtNode(where);
                }
                run.model().nodeEnded(where, Cause.KILL);
            } else if (fault.kind() == FaultKind.NODE_TERM) {
                run.model().nodeEnded(where, Cause.TERMINATE);
            }
            return window;
        });
    }

    private static String name(Plan.Fault fault, int where) {
        return fault.kind().description() + (where == FaultTimeline.ALL ? "" : ": server " + where);
    }

    private void end(Plan.Fault fault, FaultTimeline.Window window, int where) {
        onLoop(() -> {
            record("ends: " + name(fault, where));
            window.end = run.now();
            if (window.losesPresences) {
                // Until then a seat may be held by a socket that is gone.
                Duration inDoubt = fault.kind().leavesDisorder() || fault.kind() == FaultKind.NODE_STOP_LONG
                        ? run.settings().sweep().plus(Cause.ANNOUNCING)
                        : where == FaultTimeline.ALL ? Duration.ZERO : IN_DOUBT;
                run.model().endDoubt(where, run.now() + inDoubt.toNanos());
            }
            if (fault.kind() == FaultKind.CLOCK_LEASE) {
                run.model()
                        .doubtWithoutHeartbeat(
                                node -> run.timeline().isCalmExcept(window, window.start, run.now(), node));
            }
        });
    }

    private void inject(Plan.Fault fault, Node node) throws IOException, InterruptedException {
        switch (fault.kind()) {
            case NODE_KILL -> node.kill();
            case NODE_TERM -> {
                if (!node.terminate()) {
                    onLoop(() ->
                            run.report(Kind.LEFT_BEHIND, "", "server " + node.number + " did not end after SIGTERM"));
                }
            }
            case NODE_STOP, NODE_STOP_LONG -> {
                node.freeze(true);
                pause(fault.lasts());
                node.freeze(false);
            }
            case APP_KILL -> apps.get(fault.node()).kill();
            case APP_STOP -> {
                apps.get(fault.node()).freeze(true);
                pause(fault.lasts());
                apps.get(fault.node()).freeze(false);
            }
            case CLIENTS_RESET -> node.clients.cut(true).join();
            case CLIENTS_CUT -> node.clients.cut(false).join();
            case CLIENTS_FREEZE, CLIENTS_FREEZE_LONG -> during(fault, node.clients, node.clients.freeze());
            case STORE_RESET -> node.redis.cut(true).join();
            case STORE_FREEZE, STORE_FREEZE_LONG -> during(fault, node.redis, node.redis.freeze());
            case STORE_DEAF -> during(fault, node.redis, node.redis.freezeAnswers());
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
            default -> throw new IllegalStateException(fault.kind() + " is injected elsewhere");
        }
    }

    /** Two jumps: ahead or behind, depending on the random number of the fault, and later back. */
    private void setClock(Plan.Fault fault, Duration off) throws IOException, InterruptedException {
        try {
            within(fault, run.now(), () -> redis.setClock(fault.node() % 2 == 0 ? off : off.negated()));
            pause(fault.lasts());
        } finally {
            within(fault, run.now(), () -> redis.setClock(Duration.ZERO));
        }
    }

    private void returnToOldFile(Plan.Fault fault) throws IOException, InterruptedException {
        long undoesSince = run.now();
        Path copy = redis.copy();
        pause(fault.lasts());
        within(fault, undoesSince, () -> {
            redis.kill();
            redis.startFrom(copy);
        });
    }

    private void failOver(Plan.Fault fault) throws IOException, InterruptedException {
        try (BreakableRedis.Replica replica = redis.replica(loop)) {
            long undoesSince = run.now();
            replica.lag();
            pause(fault.lasts());
            within(fault, undoesSince, () -> {
                redis.kill();
                replica.takeOver();
                probeLink.leadTo(redis.port());
                nodes.forEach(node -> node.redis.leadTo(redis.port()));
            });
        }
    }

    /** One message about a room, mostly a quiet one, does not reach the server. */
    private void loseMessage(Plan.Fault fault, Node node) throws InterruptedException {
        Random random = new Random(fault.at().toMillis());
        int room = random.nextInt(4) > 0 ? random.nextInt(Plan.QUIET_ROOMS) : random.nextInt(http.rooms());
        CompletableFuture<Void> lost = new CompletableFuture<>();
        node.redis
                .lose(":room-" + room + ":", () -> lost.completeAsync(() -> messageLost(fault, room), run.loop()))
                .join();
        try {
            lost.get(fault.lasts().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException quiet) {
            node.redis.loseNothing().join();
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause());
        }
    }

    private @Nullable Void messageLost(Plan.Fault fault, int room) {
        record("lost: a message about room-" + room + " to server " + fault.node());
        run.statistics().count(fault.kind());
        int where = fault.kind().concerned(fault.node(), run.settings().attached());
        run.timeline().begin(fault.kind(), where, run.now()).end = run.now();
        return null;
    }

    private static void during(Plan.Fault fault, Link link, CompletableFuture<Void> frozen)
            throws InterruptedException {
        frozen.join();
        pause(fault.lasts());
        link.heal().join();
    }

    private void deletePresences(Plan.Fault fault) {
        Random random = new Random(fault.at().toMillis());
        List<Seat> some = callOnLoop(() -> {
            run.statistics().count(fault.kind());
            List<Seat> in = run.model().seats().stream()
                    .filter(Seat::isClaimed)
                    .sorted((a, b) -> (a.room + a.user).compareTo(b.room + b.user))
                    .toList();
            List<Seat> chosen = random.ints(DELETED_AT_ONCE, 0, Math.max(1, in.size()))
                    .limit(in.isEmpty() ? 0 : DELETED_AT_ONCE)
                    .mapToObj(in::get)
                    .distinct()
                    .toList();
            chosen.forEach(seat -> {
                run.history().record(seat.user, "their presence in " + seat.room + " is deleted by hand");
                run.model().doubtSeat(seat, Stopwatch.NEVER);
            });
            return chosen;
        });
        try {
            some.forEach(probe::delete);
        } finally {
            onLoop(() -> {
                some.forEach(seat -> {
                    run.model().doubtSeat(seat, run.now());
                    http.listAfterDeletion(seat, () -> probe.exists(seat));
                });
            });
        }
    }

    private void record(String what) {
        run.history().recordForAll("--- " + what);
    }

    private void onLoop(Runnable task) {
        CompletableFuture.runAsync(task, run.loop()).join();
    }

    private <T> T callOnLoop(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, run.loop()).join();
    }

    private static void pause(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
