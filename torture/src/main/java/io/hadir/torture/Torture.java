package io.hadir.torture;

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

/** A run: a Redis and servers of its own, people, watchers, faults, and a judge. */
public final class Torture implements AutoCloseable {
    private static final Duration LOOK_EVERY = Duration.ofMillis(250);
    private static final Duration LIST_EVERY = Duration.ofMillis(50);
    private static final Duration STARVED_EVERY = Duration.ofMillis(200);
    private static final Duration SAY_EVERY = Duration.ofSeconds(30);
    /** At the end everybody goes home, and nothing may be left. */
    private static final Duration LAST = Duration.ofSeconds(20);

    private final Options options;
    private final Terms terms = Terms.SHORT;
    private final Consumer<String> progress;
    private final Path folder;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final MultiThreadIoEventLoopGroup linkLoop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService breaking = Executors.newCachedThreadPool();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Person> people = new ArrayList<>();
    private final List<Watcher> watchers = new ArrayList<>();
    private final Store redis;
    /** The way to Redis of those who look at it themselves; nothing is ever done to it. */
    private final Link own;

    private final Probe probe;
    private final World world;
    private final Judge judge;

    /**
     * Starts Redis and the servers.
     *
     * @param progress is told how it goes, a line at a time
     */
    public Torture(Options options, Consumer<String> progress) throws IOException {
        this.options = options;
        this.progress = progress;
        folder = Files.createTempDirectory("hadir-torture-");
        redis = new Store(folder);
        own = new Link(linkLoop, redis.port());
        probe = new Probe(own.port());
        List<Link> doors = new ArrayList<>();
        for (int i = 0; i < options.nodes(); i++) {
            Link door = new Link(linkLoop, 1);
            doors.add(door);
            nodes.add(new Node(i, door, Link.toRedis(linkLoop, redis.port()), folder, terms));
        }
        List<CompletableFuture<Void>> starting = new ArrayList<>();
        for (Node node : nodes) {
            starting.add(CompletableFuture.runAsync(() -> start(node), breaking));
        }
        starting.forEach(CompletableFuture::join);
        Stopwatch watch = new Stopwatch(System::nanoTime);
        Timeline timeline = new Timeline(terms, options.nodes());
        Story story = new Story(watch);
        Pulse pulse = new Pulse(watch);
        world = new World(
                loops.next(),
                watch,
                terms,
                timeline,
                new Model(options.nodes(), watch, terms, story),
                new Online(watch, timeline, pulse, terms),
                pulse,
                story,
                new Tally(),
                new Findings(watch, story, progress),
                doors);
        judge = new Judge(world);
    }

    private static void start(Node node) {
        try {
            node.start();
        } catch (IOException failed) {
            throw new IllegalStateException(failed.getMessage(), failed);
        }
    }

    /** What is going to be done. */
    public static Stream<String> plan(Options options) {
        return Stream.concat(
                leftOut(options).stream(),
                plan(options, Terms.SHORT).faults().stream().map(Fault::toString));
    }

    private static Plan plan(Options options, Terms terms) {
        Plan plan = Plan.of(
                options.seed(),
                options.length().minus(LAST),
                options.nodes(),
                options.clients(),
                terms,
                options::wants);
        boolean clock = Store.hasClock();
        return new Plan(
                plan.steps(),
                plan.faults().stream()
                        .filter(fault -> clock || !fault.kind().setsClock())
                        .toList());
    }

    /** What cannot be broken on this machine, and why. */
    private static Optional<String> leftOut(Options options) {
        boolean wanted = Stream.of(FaultKind.values()).anyMatch(kind -> kind.setsClock() && options.wants(kind));
        return wanted && !Store.hasClock()
                ? Optional.of("The clock of Redis is left alone: it cannot be set here (expected: the Debian packages"
                        + " libfaketime and redis-tools)")
                : Optional.empty();
    }

    /** Runs to the end, and says what was seen. */
    public Certificate run() throws InterruptedException {
        Plan plan = plan(options, terms);
        leftOut(options).ifPresent(progress);
        progress.accept("%d steps of people and %d faults are planned"
                .formatted(plan.steps().size(), plan.faults().size()));
        int rooms = Plan.rooms(options.clients());
        onLoop(() -> {
            world.pulse().start(world.loop());
            for (int i = 0; i < options.clients(); i++) {
                people.add(new Person(world, i, options.seed()));
            }
            for (Node node : nodes) {
                for (int room = 0; room < rooms; room++) {
                    Watcher watcher = new Watcher(world, "room-" + room, node.number, judge);
                    watchers.add(watcher);
                    judge.add(watcher);
                    watcher.start();
                }
            }
        });
        Lists lists = new Lists(world, judge, nodes, rooms, options.clients());
        Breaker breaker = new Breaker(world, nodes, redis, own, probe, lists, linkLoop);
        every(LIST_EVERY, () -> world.loop().execute(lists::askNext));
        every(SAY_EVERY, () -> world.loop().execute(this::say));
        Starvation starvation = new Starvation();
        every(STARVED_EVERY, () -> {
            long waited = starvation.next(processes());
            world.loop().execute(() -> world.pulse().starved(waited));
        });
        looking.scheduleWithFixedDelay(this::look, 0, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        for (Step step : plan.steps()) {
            at(
                    step.at(),
                    () -> world.loop().execute(() -> people.get(step.person()).act(step)));
        }
        for (Fault fault : plan.faults()) {
            at(fault.at(), () -> breaking.execute(() -> carryOut(breaker, fault)));
        }
        sleepUntil(options.length().minus(LAST));
        finish();
        return CompletableFuture.supplyAsync(() -> Certificate.of(options, terms, world, rooms), world.loop())
                .join();
    }

    /** Everybody goes home; when their time is up, nothing may be left. */
    private void finish() throws InterruptedException {
        timer.shutdownNow();
        breaking.shutdown();
        boolean healed = breaking.awaitTermination(60, TimeUnit.SECONDS);
        onLoop(() -> {
            if (!healed) {
                world.findings().add(Findings.Kind.LEFT_BEHIND, "", "a fault could not be made good");
            }
            people.forEach(Person::goHome);
            watchers.forEach(Watcher::goHome);
        });
        TimeUnit.NANOSECONDS.sleep(LAST.toNanos());
        looking.shutdownNow();
        if (!looking.awaitTermination(10, TimeUnit.SECONDS)) {
            return;
        }
        Probe.Look last = probe.look();
        onLoop(() -> last.users()
                .forEach((room, users) -> users.forEach(user -> world.findings()
                        .add(Findings.Kind.LEFT_BEHIND, user, user + " is still in " + room + " at the end"))));
    }

    private List<Long> processes() {
        List<Long> processes = new ArrayList<>(List.of(redis.pid()));
        nodes.forEach(node -> processes.add(node.pid()));
        return processes;
    }

    private void look() {
        long asked = world.now();
        try {
            Probe.Look look = probe.look();
            onLoop(() -> {
                judge.looked(look.users(), look.revisions(), look.online(), asked);
                look.endless()
                        .forEach(key -> world.findings()
                                .add(Findings.Kind.WITHOUT_TTL, key.substring(key.lastIndexOf(':') + 1), key));
            });
        } catch (RedisException away) {
            // Then there is nothing to see.
        } catch (RuntimeException bug) {
            progress.accept("the judge failed: " + bug);
        }
    }

    private void carryOut(Breaker breaker, Fault fault) {
        try {
            breaker.carryOut(fault);
        } catch (IOException | RuntimeException failed) {
            progress.accept("could not be done: " + fault.kind().words() + ": " + failed.getMessage());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void say() {
        progress.accept("%4d s: %d operations, %d faults, %d looks, %s"
                .formatted(
                        TimeUnit.NANOSECONDS.toSeconds(world.now()),
                        world.tally().operations(),
                        world.tally().faults.values().stream().mapToInt(n -> n).sum(),
                        world.tally().looks,
                        world.findings().isEmpty()
                                ? "nothing found"
                                : world.findings().all() + " FOUND"));
    }

    private void every(Duration time, Runnable task) {
        timer.scheduleAtFixedRate(task, time.toMillis(), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void at(Duration time, Runnable task) {
        timer.schedule(task, Math.max(0, time.toNanos() - world.now()), TimeUnit.NANOSECONDS);
    }

    private void sleepUntil(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, time.toNanos() - world.now()));
    }

    private void onLoop(Runnable task) {
        CompletableFuture.runAsync(task, world.loop()).join();
    }

    /** Where the logs of the servers are. */
    public Path logs() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        looking.shutdownNow();
        breaking.shutdownNow();
        nodes.forEach(Node::close);
        probe.close();
        own.close();
        redis.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        linkLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Deletes the logs. */
    public void forget() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
