package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.trunk.AppTrunk;
import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Faults on both sides of a trunk, with real server processes. */
class TrunkIT {
    private static final int USERS = 20;
    /** A node's lease, its cleanup and the grace period are over after this time. */
    private static final Duration AFTERMATH =
            HadirProcess.LEASE.plusSeconds(5).plus(HadirProcess.GRACE).plusSeconds(2);

    private static final Pattern TOTAL = Pattern.compile("Total +\\d+ +(\\d+)");

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private HadirProcess server(String... flags) throws IOException {
        List<String> all = new ArrayList<>(List.of(flags));
        all.add(AppTrunk.FLAG);
        HadirProcess server = HadirProcess.start(folder, REDIS.url(), all.toArray(String[]::new));
        open.add(server);
        return server.awaitReady();
    }

    private AppTrunk hello(int port, String process, long epoch) {
        AppTrunk trunk = AppTrunk.hello(port, process, epoch);
        open.add(trunk);
        return trunk;
    }

    /** A trunk whose users are in the room. */
    private AppTrunk appIn(int port, String room) {
        AppTrunk app = hello(port, "app", 1);
        LongStream.rangeClosed(1, USERS).forEach(n -> app.open(n, "u" + n));
        LongStream.rangeClosed(1, USERS)
                .forEach(n ->
                        assertThat(app.join(n, room).path("ok").asBoolean()).isTrue());
        return app;
    }

    /** The next trunk of the same process, which reports who is there. */
    private AppTrunk move(int port, String room, long epoch) {
        AppTrunk app = hello(port, "app", epoch);
        LongStream.rangeClosed(1, USERS).forEach(n -> app.reopen(n, "u" + n, room));
        return app;
    }

    private Guest watcher(int port) {
        Guest guest = Guest.join(port, "watcher", "r");
        open.add(guest);
        guest.settle(USERS + 1);
        return guest;
    }

    private void nobodyLeaves(Guest watcher) throws InterruptedException {
        // Not a condition: what must not happen has no earlier end than the time in which it could.
        TimeUnit.MILLISECONDS.sleep(AFTERMATH.toMillis());
        assertThat(watcher.left()).isEmpty();
        assertThat(watcher.joined()).isEmpty();
        assertThat(watcher.list("r")).hasSize(USERS + 1);
    }

    @Test
    void f06_theNodeOfATrunkIsKilledAndNobodyAppearsToLeave() throws Exception {
        HadirProcess first = server();
        HadirProcess second = server();
        AppTrunk app = appIn(first.port(), "r");
        Guest watcher = watcher(second.port());

        first.kill();
        assertThat(app.closeCode()).isEqualTo(1006);
        AppTrunk moved = move(second.port(), "r", 2);

        await().until(() -> moved.members("r").size() == USERS);
        nobodyLeaves(watcher);
        assertThat(moved.heartbeat(1, "r").path("ok").asBoolean()).isTrue();
        assertThat(moved.all("emit")).allMatch(emit -> emit.path(2).asString().equals("room:presence"));
    }

    @Test
    void f09_aNodeStopsAndItsTrunksMove() throws Exception {
        HadirProcess first = server();
        HadirProcess second = server();
        AppTrunk app = appIn(first.port(), "r");
        Guest watcher = watcher(second.port());

        assertThat(first.terminate(Duration.ofSeconds(20))).isZero();
        assertThat(app.closeCode()).isEqualTo(1001);
        AppTrunk moved = move(second.port(), "r", 2);

        await().until(() -> moved.members("r").size() == USERS);
        nobodyLeaves(watcher);
    }

    @Test
    void f07_aFrozenNodeWakesUpAfterItsTrunkMovedAndChangesNothing() throws Exception {
        HadirProcess first = server();
        HadirProcess second = server();
        AppTrunk app = appIn(first.port(), "r");
        Guest watcher = watcher(second.port());

        first.stop();
        Path state = Path.of("/proc", Long.toString(first.pid()), "stat");
        await("the node stands still").until(() -> Files.readString(state).contains(") T "));
        // What the frozen node has not read yet must not take effect when it wakes up.
        app.send("[\"event\",1,null,\"join_room\",{\"roomId\":\"stale\"}]", "[\"gone\",2,\"closed\"]");
        AppTrunk moved = move(second.port(), "r", 2);
        await().until(() -> moved.members("r").size() == USERS);
        TimeUnit.SECONDS.sleep(4);
        first.goOn();

        assertThat(app.closeCode()).isIn(4408, 4409, 1006);
        nobodyLeaves(watcher);
        assertThat(REDIS.cli().keys("*stale*"))
                .as("a join would leave a revision")
                .isEmpty();
    }

    @Test
    void aHalfOpenTrunkIsReplacedAndItsLateWordsChangeNothing() throws Exception {
        HadirProcess first = server();
        HadirProcess second = server();
        FaultProxy proxy = new FaultProxy(first.port());
        open.add(proxy);
        AppTrunk app = appIn(proxy.port(), "r");
        Guest watcher = watcher(second.port());

        proxy.freeze();
        app.send("[\"event\",1,null,\"join_room\",{\"roomId\":\"stale\"}]");
        AppTrunk moved = move(second.port(), "r", 2);
        await().until(() -> moved.members("r").size() == USERS);
        // The first node hears of the later trunk, and then the words of the earlier one arrive.
        await().until(() -> first.get("/metrics").contains("hadir_trunks 0.0"));
        proxy.heal();

        assertThat(app.closeCode()).isIn(4409, 1006);
        nobodyLeaves(watcher);
        assertThat(REDIS.cli().keys("*stale*"))
                .as("a join would leave a revision")
                .isEmpty();
    }

    @Test
    void aTrunkIsCutAndComesBackToTheSameNode() throws Exception {
        HadirProcess server = server();
        FaultProxy proxy = new FaultProxy(server.port());
        open.add(proxy);
        AppTrunk app = appIn(proxy.port(), "r");
        Guest watcher = watcher(server.port());

        proxy.reset();
        assertThat(app.closeCode()).isEqualTo(1006);
        AppTrunk moved = move(proxy.port(), "r", 2);

        await().until(() -> moved.members("r").size() == USERS);
        nobodyLeaves(watcher);
    }

    @Test
    void f02_anAppThatDiesOrHangsLosesItsUsersAfterTheGracePeriodOnce() throws Exception {
        HadirProcess server = server();
        AppTrunk dead = hello(server.port(), "dead", 1).open(1, "dead");
        AppTrunk hung = hello(server.port(), "hung", 1).open(1, "hung");
        AppTrunk well = hello(server.port(), "well", 1).open(1, "well");
        dead.join(1, "r");
        hung.join(1, "r");
        well.join(1, "r");
        await().until(() -> well.changes("r").contains("+well"));
        well.forget();

        dead.close();
        hung.hang();
        long began = System.nanoTime();

        await().atMost(Duration.ofSeconds(40))
                .until(() -> well.changes("r").containsAll(List.of("-dead disconnected", "-hung disconnected")));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(25));
        assertThat(well.changes("r")).hasSize(2);
        hung.wake();
        assertThat(hung.closeCode()).isEqualTo(4408);
        assertThat(well.list(1, "r")).containsExactly("well");
    }

    @Test
    void aTrunkMovesWhileRedisIsAwayAndItsUsersArePresentAfterwards() throws Exception {
        FaultProxy redis = new FaultProxy(REDIS.port());
        open.add(redis);
        String url = REDIS.url().replace(":" + REDIS.port(), ":" + redis.port());
        HadirProcess server = HadirProcess.start(folder, url, AppTrunk.FLAG);
        open.add(server);
        server.awaitReady();
        AppTrunk app = appIn(server.port(), "r");
        hello(server.port(), "other", 1).open(1, "back").join(1, "r");

        redis.refuse();
        assertThat(app.heartbeat(1, "r").path("error").path("code").asString()).isEqualTo("presence_unavailable");
        app.close();
        AppTrunk moved = move(server.port(), "r", 2);
        // This one did not ask for the room.
        moved.send("[\"open\",99,{\"userId\":\"back\",\"in\":[{\"roomId\":\"r\",\"restored\":true}]}]");
        long asked = System.nanoTime();
        assertThat(moved.heartbeat(1, "r").path("error").path("code").asString())
                .isEqualTo("presence_unavailable");
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(10));
        // Long enough for a join that failed to be undone.
        TimeUnit.SECONDS.sleep(4);
        redis.heal();

        await().atMost(Duration.ofSeconds(40)).until(() -> moved.members("r").size() == USERS + 1);
        await().atMost(Duration.ofSeconds(40)).until(() -> moved.list(1, "r").size() == USERS + 1);
        // A client is in the room before it hears so.
        await().untilAsserted(() -> assertThat(moved.emitted(99, "room:joined")).hasSize(1));
        assertThat(moved.emitted(1, "room:force-leave")).isEmpty();
        assertThat(moved.all("close")).isEmpty();
    }

    @Test
    void f06_twoAppsOnTwoNodesSeeEachOtherAndOnlyTheDeadOnesUsersLeave() throws Exception {
        HadirProcess first = server();
        HadirProcess second = server();
        AppTrunk one = hello(first.port(), "one", 1).open(1, "adi").open(2, "both");
        AppTrunk two = hello(second.port(), "two", 1).open(1, "budi").open(2, "both");
        for (AppTrunk app : List.of(one, two)) {
            app.join(1, "r");
            app.join(2, "r");
        }
        assertThat(one.list(1, "r")).containsExactlyInAnyOrder("adi", "budi", "both");
        await().until(() -> one.changes("r").contains("+budi"));

        one.close();
        first.kill();

        await().atMost(Duration.ofSeconds(30)).until(() -> two.list(1, "r").size() == 2);
        // The list shows at once that a grace period ran out; the message follows.
        await().atMost(Duration.ofSeconds(10))
                .until(() -> two.changes("r").stream().anyMatch(change -> change.startsWith("-")));
        assertThat(two.changes("r").stream().filter(change -> change.startsWith("-")))
                .hasSize(1)
                .allMatch(change -> change.startsWith("-adi "));
    }

    @Test
    void twentyThousandSocketsOnOneTrunkAreNormal() throws Exception {
        int sockets = 20_000;
        HadirProcess server = server("--heartbeat-seconds=25");
        Guest direct = Guest.join(server.port(), "direct", "elsewhere");
        open.add(direct);
        AppTrunk app = hello(server.port(), "crowd", 1);
        app.keepNothing();
        long before = heapAfterCollection(server);

        for (int from = 1; from <= sockets; from += 1000) {
            int first = from;
            app.send(IntStream.range(first, first + 1000)
                    .boxed()
                    .flatMap(n -> Stream.of(
                            "[\"open\"," + n + ",{\"userId\":\"u" + n + "\"}]",
                            "[\"event\"," + n + "," + n + ",\"join_room\",{\"roomId\":\"c" + n % 500 + "\"}]"))
                    .toArray(String[]::new));
        }
        assertThat(direct.heartbeat("elsewhere").path("ok").asBoolean()).isTrue();
        // A client repeats a join that was refused for now, because the machine stood still for a moment.
        await().atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofSeconds(10))
                .until(() -> {
                    Set<Long> members = app.members("c499");
                    LongStream.rangeClosed(1, sockets)
                            .filter(n -> n % 500 == 499 && !members.contains(n))
                            .forEach(n ->
                                    app.send("[\"event\"," + n + "," + n + ",\"join_room\",{\"roomId\":\"c499\"}]"));
                    return members.size() == sockets / 500;
                });
        await().atMost(Duration.ofMinutes(2))
                .until(() -> server.get("/metrics").contains("hadir_trunk_sockets 20000.0"));

        String beats = String.join(
                ",",
                IntStream.rangeClosed(1, sockets)
                        .mapToObj(n -> "[" + n + "," + (100_000 + n) + ",\"c" + n % 500 + "\"]")
                        .toList());
        // A member of the room that was awaited above; others may still have to repeat their joins.
        var last = app.expect(100_000 + sockets - 1);
        app.send("[\"beats\",[" + beats + "]]");
        assertThat(last.join().path("ok").asBoolean()).isTrue();
        long perSocket = (heapAfterCollection(server) - before) / sockets;
        assertThat(perSocket).as("heap per socket").isLessThan(6_000);
        assertThat(direct.heartbeat("elsewhere").path("ok").asBoolean()).isTrue();

        app.close();
        await().atMost(Duration.ofMinutes(2))
                .until(() -> REDIS.cli().keys("room:presence:c*").isEmpty());
        await().until(() -> server.get("/metrics").contains("hadir_trunk_sockets 0.0"));
    }

    private static long heapAfterCollection(HadirProcess server) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(server.pid()),
                        "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String text = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher total = TOTAL.matcher(text);
        assertThat(total.find()).as(text).isTrue();
        return Long.parseLong(total.group(1));
    }
}
