package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class RollingRestartIT {
    private static final int SERVERS = 3;
    private static final int USERS = 60;
    /** Long enough for everyone to reconnect, even on a busy machine. */
    private static final String GRACE = "--grace-seconds=20";

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder = Path.of("");

    private final List<HadirProcess> servers = new CopyOnWriteArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    /** Picks one server after the other, up or not, like a load balancer without health checks. */
    private int next() {
        return servers.get(turn.getAndIncrement() % SERVERS).port();
    }

    @Test
    void f10_aRollingRestartOfThreeServersShowsNoJoinsAndNoLeaves() throws Exception {
        for (int i = 0; i < SERVERS; i++) {
            servers.add(HadirProcess.start(folder, REDIS.url(), GRACE));
        }
        try (FaultProxy balancer = new FaultProxy(this::next)) {
            List<Guest> users = new ArrayList<>(IntStream.range(0, USERS)
                    .mapToObj(i -> Guest.join(balancer.port(), "u" + i, "r"))
                    .toList());
            for (int i = 0; i < SERVERS; i++) {
                Guest watcher = Guest.join(servers.get((i + 1) % SERVERS).port(), "watcher" + i, "r");
                watcher.settle(watcher.list("r").size());

                assertThat(servers.get(i).terminate(Duration.ofSeconds(15))).isZero();
                await().until(() -> comeBack(users, balancer, watcher));
                servers.set(i, HadirProcess.start(folder, REDIS.url(), GRACE).awaitReady());

                assertThat(watcher.joined()).noneMatch(name -> name.startsWith("u"));
                assertThat(watcher.left()).noneMatch(name -> name.startsWith("u"));
            }
            Guest last = Guest.join(balancer.port(), "last", "r");
            // By now, users who did not return in time would be announced as left.
            await().until(() -> REDIS.cli().keys("room:presence:r:watcher*").size() < SERVERS);
            assertThat(last.left()).noneMatch(name -> name.startsWith("u"));
            assertThat(users).allSatisfy(user -> {
                assertThat(user.forceLeaves()).isEmpty();
                assertThat(user.heartbeat("r").path("ok").asBoolean()).isTrue();
            });
        } finally {
            servers.forEach(HadirProcess::close);
        }
    }

    /** Reconnects every closed user once; true if all are connected. The count never drops meanwhile. */
    private static boolean comeBack(List<Guest> users, FaultProxy balancer, Guest watcher) throws IOException {
        boolean all = true;
        for (int i = 0; i < users.size(); i++) {
            if (users.get(i).isGone()) {
                all &= comesBack(users, i, balancer);
                assertThat(watcher.list("r").stream().filter(name -> name.startsWith("u")))
                        .hasSize(USERS);
            }
        }
        return all;
    }

    private static boolean comesBack(List<Guest> users, int i, FaultProxy balancer) {
        try {
            users.set(i, Guest.join(balancer.port(), users.get(i).user, "r"));
            return true;
        } catch (CompletionException anothersTurn) {
            return false;
        }
    }
}
