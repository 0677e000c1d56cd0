package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import io.hadir.embedded.EmbeddedSentinels;
import io.hadir.server.trunk.AppTrunk;
import io.hadir.testing.Signals;
import io.hadir.torture.BreakableRedis;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Redis loses its last writes while users join and leave on two servers. {@code -Dhadir.rounds=10} makes it ten times
 * of each.
 */
class RedisGoesBackIT {
    private static final int ROUNDS = Integer.getInteger("hadir.rounds", 2);
    private static final int USERS = 50;
    private static final int CHURNING = 4;
    private static final String ROOM = "r";

    /** How many changes are lost. */
    private static final int LOST = 40;

    private static final Duration SWEEP = Duration.ofSeconds(3);

    /** One sweep, and slack for a busy machine. */
    private static final Duration AGREED = SWEEP.plusSeconds(4);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder = Path.of("");

    @Test
    void f53_afterARestartFromAnOlderFileAllAgreeWithinOneSweepAndRemovedUsersAreTold() throws Exception {
        try (BreakableRedis redis = new BreakableRedis(folder);
                RedisClient client = RedisClient.create("redis://127.0.0.1:" + redis.port());
                HadirProcess a = server("redis://127.0.0.1:" + redis.port());
                HadirProcess b = server("redis://127.0.0.1:" + redis.port());
                Crowd crowd = new Crowd(a, b)) {
            for (int round = 0; round < ROUNDS; round++) {
                crowd.churnPast(LOST);
                Path old = redis.copy();
                crowd.churnPast(LOST);
                redis.kill();
                redis.startFrom(old);
                crowd.settle();
                crowd.agrees(client.connect().sync());
            }
        }
    }

    @Test
    void f53_usersWhoAreBackWithOlderDataThanAllLeasesAreOutAfterALease() throws Exception {
        String lease = "--lease-seconds=3";
        String sweep = "--sweep-seconds=" + PATIENCE.toSeconds();
        try (BreakableRedis redis = new BreakableRedis(folder);
                HadirProcess a = HadirProcess.start(folder, "redis://127.0.0.1:" + redis.port(), lease, sweep)
                        .awaitReady();
                Guest adi = Guest.join(a.port(), "adi", ROOM);
                Guest budi = Guest.join(a.port(), "budi", ROOM)) {
            Path old = redis.copy();
            budi.ask("leave_room", ROOM).join();
            redis.kill();
            // The leases in the file run out.
            await().pollDelay(Duration.ofSeconds(4)).until(() -> true);
            redis.startFrom(old);
            a.awaitReady();
            assertThat(adi.list(ROOM)).containsExactly("adi", "budi");

            await().atMost(Duration.ofSeconds(10)).until(() -> adi.list(ROOM).equals(List.of("adi")));
        }
    }

    @Test
    void f53_clientsOfAnAppWhoseNodeDiesBeforeItSeesTheOlderDataListAgain() throws Exception {
        try (BreakableRedis redis = new BreakableRedis(folder);
                HadirProcess a = server("redis://127.0.0.1:" + redis.port(), AppTrunk.FLAG);
                HadirProcess b = server("redis://127.0.0.1:" + redis.port(), AppTrunk.FLAG);
                AppTrunk app = AppTrunk.hello(a.port(), "app", 1).open(1, "adi").open(2, "budi")) {
            long joined = app.join(1, ROOM).path("revision").asLong();
            Path old = redis.copy();
            long heard = app.join(2, ROOM).path("revision").asLong();
            a.kill();
            redis.kill();
            redis.startFrom(old);
            b.awaitReady();

            try (AppTrunk moved = AppTrunk.hello(b.port(), "app", 2)) {
                moved.send("[\"open\",1,{\"userId\":\"adi\",\"in\":[{\"roomId\":\"" + ROOM + "\",\"revision\":" + joined
                        + ",\"heard\":" + heard + "}]}]");
                await().atMost(AGREED)
                        .until(() -> moved.all("room").stream()
                                .map(message -> message.path(3))
                                .anyMatch(news -> news.path("revision").asLong() > heard
                                        && news.path("truncated").asBoolean()));
                assertThat(moved.list(1, ROOM)).containsExactly("adi");
            }
        }
    }

    @Test
    void f52_afterAFailoverToALaggingReplicaAllAgreeWithinOneSweepAndRemovedUsersAreTold() throws Exception {
        for (int round = 0; round < ROUNDS; round += 2) {
            try (EmbeddedSentinels redis = EmbeddedSentinels.start();
                    RedisClient client = RedisClient.create();
                    HadirProcess a = server(redis.url());
                    HadirProcess b = server(redis.url());
                    Crowd crowd = new Crowd(a, b)) {
                for (EmbeddedRedis sentinel : redis.sentinels()) {
                    RedisSentinelCommands<String, String> watching = client.connectSentinel(
                                    RedisURI.create(sentinel.url()))
                            .sync();
                    watching.set(EmbeddedSentinels.NAME, "down-after-milliseconds", "1000");
                    watching.set(EmbeddedSentinels.NAME, "failover-timeout", "5000");
                }
                List<EmbeddedRedis> alive = new ArrayList<>(redis.replicas());
                alive.add(redis.primary());
                while (alive.size() > 1) {
                    EmbeddedRedis primary = primary(client, alive);
                    crowd.churnPast(LOST);
                    lag(client, primary, alive.size() - 1);
                    crowd.churnPast(LOST);
                    Signals.kill(primary.process());
                    alive.remove(primary);
                    a.awaitReady();
                    b.awaitReady();
                    crowd.settle();
                    crowd.agrees(client.connect(
                                    RedisURI.create(primary(client, alive).url()))
                            .sync());
                }
            }
        }
    }

    private HadirProcess server(String redis, String... more) throws Exception {
        List<String> flags = new ArrayList<>(List.of(more));
        flags.add("--sweep-seconds=" + SWEEP.toSeconds());
        return HadirProcess.start(folder, redis, flags.toArray(String[]::new)).awaitReady();
    }

    private static EmbeddedRedis primary(RedisClient client, List<EmbeddedRedis> alive) {
        for (EmbeddedRedis one : alive) {
            if (client.connect(RedisURI.create(one.url()))
                    .sync()
                    .info("replication")
                    .contains("role:master")) {
                return one;
            }
        }
        throw new AssertionError("there is no primary");
    }

    /** Stops the replication: replicas get no more writes and cannot resynchronise. */
    private static void lag(RedisClient client, EmbeddedRedis primary, int replicas) {
        RedisCommands<String, String> cli =
                client.connect(RedisURI.create(primary.url())).sync();
        // A sentinel that configures this server closes its connections; this one then reconnects.
        await().ignoreExceptionsInstanceOf(RedisException.class)
                .until(() -> cli.info("replication").contains("connected_slaves:" + replicas));
        cli.waitForReplication(replicas, 10_000);
        CommandArgs<String, String> forbidden = new CommandArgs<>(StringCodec.UTF8);
        List.of("SETUSER", "default", "-psync", "-sync").forEach(forbidden::add);
        cli.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), forbidden);
        cli.clientKill(KillArgs.Builder.typeSlave());
    }

    /** Users of two servers who keep joining and leaving. */
    private static final class Crowd implements AutoCloseable {
        private final List<HadirProcess> servers;
        private final List<Follower> users = new ArrayList<>();
        private final ExecutorService threads = Executors.newFixedThreadPool(CHURNING);
        private final AtomicBoolean churning = new AtomicBoolean();
        private final AtomicInteger changes = new AtomicInteger();
        private final AtomicInteger busy = new AtomicInteger();

        Crowd(HadirProcess... servers) {
            this.servers = List.of(servers);
            for (int i = 0; i < USERS; i++) {
                Follower user = new Follower(servers[i % servers.length].port(), "u" + i, ROOM);
                users.add(user);
                if (i % 3 > 0) {
                    user.comeIn();
                }
            }
        }

        /** Lets them join and leave until this many more changes were made. */
        void churnPast(int more) {
            if (churning.compareAndSet(false, true)) {
                for (int i = 0; i < CHURNING; i++) {
                    int thread = i;
                    busy.incrementAndGet();
                    threads.execute(() -> churn(thread));
                }
            }
            int goal = changes.get() + more;
            await().atMost(PATIENCE).until(() -> changes.get() >= goal);
        }

        private void churn(int thread) {
            Random random = new Random(thread);
            try {
                while (churning.get()) {
                    // A user belongs to one thread.
                    Follower user = users.get(random.nextInt(USERS / CHURNING) * CHURNING + thread);
                    if (user.believesToBeIn()) {
                        user.leave();
                    } else {
                        user.join();
                    }
                    changes.incrementAndGet();
                    TimeUnit.MILLISECONDS.sleep(5 + random.nextInt(20));
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            } finally {
                busy.decrementAndGet();
            }
        }

        /** Stops the joins and leaves. */
        void settle() {
            churnPast(CHURNING * 2);
            churning.set(false);
            await().atMost(PATIENCE).until(() -> busy.get() == 0);
        }

        /** Asserts that every participant and every server sees the users with a key, and that all others were told. */
        void agrees(RedisCommands<String, String> redis) {
            try {
                await().atMost(AGREED).until(() -> disagreements(redis).isEmpty());
            } catch (ConditionTimeoutException late) {
                throw new AssertionError("after " + AGREED + ": " + disagreements(redis), late);
            }
            // Everyone sees the next change.
            users.stream().filter(user -> !user.believesToBeIn()).findFirst().ifPresent(Follower::join);
            await().atMost(SWEEP).until(() -> disagreements(redis).isEmpty());
        }

        private List<String> disagreements(RedisCommands<String, String> redis) throws AssertionError {
            Set<String> keys = new TreeSet<>();
            redis.keys("room:presence:" + ROOM + ":*")
                    .forEach(key -> keys.add(key.substring(key.lastIndexOf(':') + 1)));
            List<String> wrong = new ArrayList<>();
            Set<String> believers = new TreeSet<>();
            for (Follower user : users) {
                if (user.believesToBeIn()) {
                    believers.add(user.user());
                    differ(wrong, user.user() + " sees", user.sees(), keys);
                } else {
                    user.forceLeaves().stream()
                            .filter(reason -> !reason.equals("presence_lost"))
                            .forEach(reason -> wrong.add(user.user() + " was told " + reason));
                }
            }
            differ(wrong, "those who believe to be in are", believers, keys);
            for (HadirProcess server : servers) {
                Guest stranger = Guest.connect(server.port(), "stranger");
                differ(wrong, "a server lists", new TreeSet<>(stranger.list(ROOM)), keys);
                stranger.close();
            }
            return wrong;
        }

        private static void differ(List<String> wrong, String what, Set<String> seen, Set<String> keys) {
            Set<String> tooMany = new TreeSet<>(seen);
            tooMany.removeAll(keys);
            Set<String> tooFew = new TreeSet<>(keys);
            tooFew.removeAll(seen);
            if (!tooMany.isEmpty() || !tooFew.isEmpty()) {
                wrong.add(what + " " + tooMany + " too many and " + tooFew + " too few");
            }
        }

        @Override
        public void close() {
            churning.set(false);
            threads.shutdownNow();
            users.forEach(Follower::close);
        }
    }
}
