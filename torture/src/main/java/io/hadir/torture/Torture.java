package io.hadir.torture;

import io.hadir.torture.Findings.Kind;
import io.lettuce.core.RedisException;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Starts a Redis and servers, runs the plan against them, and has everything judged. */
final class Torture implements AutoCloseable {
    private static final Duration SNAPSHOT_EVERY = Duration.ofMillis(250);
    private static final Duration REQUEST_EVERY = Duration.ofMillis(50);
    private static final Duration CPU_WAIT_EVERY = Duration.ofMillis(200);
    private static final Duration PROGRESS_EVERY = Duration.ofSeconds(30);
    /** How long after all users left Redis must be empty again. */
    private static final Duration CLEAN_UP = Duration.ofSeconds(20);

    private final Options options;
    private final ServerSettings settings;
    private final Consumer<String> progress;
    private final Path folder;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final MultiThreadIoEventLoopGroup linkLoop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ScheduledExecutorService snapshots = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService faultThreads = Executors.newCachedThreadPool();
    private final List<Node> nodes = new ArrayList<>();
    private final List<AttachedApp> apps = new ArrayList<>();
    private final List<SimulatedUser> users = new ArrayList<>();
    private final List<Watcher> watchers = new ArrayList<>();
    private final BreakableRedis redis;
    /** The link of the probe; it is never broken. */
    private final Link probeLink;

    private final RedisProbe probe;
    private final Run run;
    private final Judge judge;

    /**
     * Starts Redis and the servers.
     *
     * @param progress receives a line for each piece of progress
     */
    Torture(Options options, Consumer<String> progress) throws IOException {
        this.options = options;
        this.progress = progress;
        settings = settings(options);
        folder = Files.createTempDirectory("hadir-torture-");
        redis = new BreakableRedis(folder);
        probeLink = new Link(linkLoop, redis.port());
        probe = new RedisProbe(probeLink.port());
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < options.nodes(); i++) {
            Link clients = new Link(linkLoop, 1);
            links.add(clients);
            nodes.add(new Node(i, clients, Link.toRedis(linkLoop, redis.port()), folder, settings));
        }
        List<CompletableFuture<Void>> starting = new ArrayList<>();
        for (Node node : nodes) {
            starting.add(CompletableFuture.runAsync(() -> start(node), faultThreads));
        }
        starting.forEach(CompletableFuture::join);
        List<Link> clientLinks = options.attach() ? startApps() : links;
        run = Run.start(loops.next(), System::nanoTime, settings, options.nodes(), clientLinks, progress);
        judge = new Judge(run);
    }

    private static ServerSettings settings(Options options) {
        return options.attach() ? ServerSettings.SHORT.attachedToApps() : ServerSettings.SHORT;
    }

    /** Starts an app before each server and returns the links of their clients. */
    private List<Link> startApps() throws IOException {
        List<Integer> servers = nodes.stream().map(node -> node.clients.port()).toList();
        for (int i = 0; i < nodes.size(); i++) {
            AttachedApp app = new AttachedApp(i, new Link(linkLoop, 1), servers, folder, settings);
            apps.add(app);
            app.start();
        }
        return apps.stream().map(app -> app.clients).toList();
    }

    private static void start(Node node) {
        try {
            node.start();
        } catch (IOException failed) {
            throw new IllegalStateException(failed.getMessage(), failed);
        }
    }

    /** The planned faults, one per line. */
    static Stream<String> plan(Options options) {
        return Stream.concat(
                unavailable(options).stream(),
                plan(options, settings(options)).faults().stream().map(Plan.Fault::toString));
    }

    private static Plan plan(Options options, ServerSettings settings) {
        Plan plan = Plan.of(
                options.seed(),
                options.length().minus(CLEAN_UP),
                options.nodes(),
                options.clients(),
                settings,
                options::wants);
        boolean clock = BreakableRedis.hasClock();
        return new Plan(
                plan.steps(),
                plan.faults().stream()
                        .filter(fault -> clock || !fault.kind().setsClock())
                        .toList());
    }

    /** Which faults this machine cannot inject, and why. */
    private static Optional<String> unavailable(Options options) {
        boolean wanted = Stream.of(FaultKind.values()).anyMatch(kind -> kind.setsClock() && options.wants(kind));
        return wanted && !BreakableRedis.hasClock()
                ? Optional.of("No fault changes Redis' clock: it cannot be set here (expected: the Debian packages"
                        + " libfaketime and redis-tools)")
                : Optional.empty();
    }

    /** Runs the whole plan. */
    Certificate run() throws InterruptedException {
        Plan plan = plan(options, settings);
        unavailable(options).ifPresent(progress);
        progress.accept("planned: %d steps of users and %d faults"
                .formatted(plan.steps().size(), plan.faults().size()));
        int rooms = Plan.rooms(options.clients());
        onLoop(() -> {
            run.stalls().start(run.loop());
            for (int i = 0; i < options.clients(); i++) {
                users.add(new SimulatedUser(run, i, options.seed()));
            }
            for (Node node : nodes) {
                for (int room = 0; room < rooms; room++) {
                    Watcher watcher = new Watcher(run, "room-" + room, node.number, judge);
                    watchers.add(watcher);
                    judge.add(watcher);
                    watcher.start();
                }
            }
        });
        HttpProbe http = new HttpProbe(run, judge, nodes, rooms, options.clients());
        FaultInjector injector = new FaultInjector(run, nodes, apps, redis, probeLink, probe, http, linkLoop);
        every(REQUEST_EVERY, () -> run.loop().execute(http::askNext));
        every(PROGRESS_EVERY, () -> run.loop().execute(this::printProgress));
        Stalls.CpuWaits cpuWaits = new Stalls.CpuWaits();
        every(CPU_WAIT_EVERY, () -> {
            long waited = cpuWaits.next(processes());
            run.loop().execute(() -> run.stalls().addCpuWait(waited));
        });
        snapshots.scheduleWithFixedDelay(this::judgeSnapshot, 0, SNAPSHOT_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        for (Plan.Step step : plan.steps()) {
            at(step.at(), () -> run.loop().execute(() -> users.get(step.user()).act(step)));
        }
        for (Plan.Fault fault : plan.faults()) {
            at(fault.at(), () -> faultThreads.execute(() -> inject(injector, fault)));
        }
        sleepUntil(options.length().minus(CLEAN_UP));
        finish();
        return CompletableFuture.supplyAsync(() -> Certificate.of(options, run, rooms), run.loop())
                .join();
    }

    /** All users leave; after the allowed time nothing may be left. */
    private void finish() throws InterruptedException {
        timer.shutdownNow();
        faultThreads.shutdown();
        boolean healed = faultThreads.awaitTermination(60, TimeUnit.SECONDS);
        onLoop(() -> {
            if (!healed) {
                run.report(Kind.LEFT_BEHIND, "", "a fault could not be repaired");
            }
            users.forEach(SimulatedUser::goHome);
            watchers.forEach(Watcher::goHome);
        });
        TimeUnit.NANOSECONDS.sleep(CLEAN_UP.toNanos());
        snapshots.shutdownNow();
        if (!snapshots.awaitTermination(10, TimeUnit.SECONDS)) {
            return;
        }
        RedisProbe.Snapshot last = probe.snapshot();
        onLoop(() -> last.users()
                .forEach((room, in) -> in.forEach(
                        user -> run.report(Kind.LEFT_BEHIND, user, user + " is still in " + room + " at the end"))));
    }

    private List<Long> processes() {
        List<Long> processes = new ArrayList<>(List.of(redis.pid()));
        nodes.forEach(node -> processes.add(node.pid()));
        apps.forEach(app -> processes.add(app.pid()));
        return processes;
    }

    private void judgeSnapshot() {
        long asked = run.now();
        try {
            RedisProbe.Snapshot snapshot = probe.snapshot();
            onLoop(() -> {
                judge.judgeRedis(snapshot.users(), snapshot.revisions(), snapshot.online(), asked);
                for (String key : snapshot.withoutTtl()) {
                    run.report(Kind.WITHOUT_TTL, key.substring(key.lastIndexOf(':') + 1), key);
                }
            });
        } catch (RedisException away) {
            // There is nothing to judge while Redis is away.
        } catch (RuntimeException bug) {
            progress.accept("the judge failed: " + bug);
        }
    }

    private void inject(FaultInjector injector, Plan.Fault fault) {
        try {
            injector.inject(fault);
        } catch (IOException | RuntimeException failed) {
            progress.accept("could not inject: " + fault.kind().description() + ": " + failed.getMessage());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void printProgress() {
        progress.accept("%4d s: %d operations, %d faults, %d snapshots, %s"
                .formatted(
                        TimeUnit.NANOSECONDS.toSeconds(run.now()),
                        run.statistics().operations(),
                        run.statistics().faults(),
                        run.statistics().snapshots,
                        run.findings().isEmpty()
                                ? "nothing found"
                                : run.findings().count() + " FOUND"));
    }

    private void every(Duration time, Runnable task) {
        timer.scheduleAtFixedRate(task, time.toMillis(), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void at(Duration time, Runnable task) {
        timer.schedule(task, Math.max(0, time.toNanos() - run.now()), TimeUnit.NANOSECONDS);
    }

    private void sleepUntil(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, time.toNanos() - run.now()));
    }

    private void onLoop(Runnable task) {
        CompletableFuture.runAsync(task, run.loop()).join();
    }

    /** The folder of the server logs. */
    Path logs() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        snapshots.shutdownNow();
        faultThreads.shutdownNow();
        apps.forEach(AttachedApp::close);
        nodes.forEach(Node::close);
        probe.close();
        probeLink.close();
        redis.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        linkLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    void deleteLogs() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
