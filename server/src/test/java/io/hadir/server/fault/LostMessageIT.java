package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.support.ApiClient;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import io.hadir.torture.Link;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Pub/sub delivers a message at most once. */
class LostMessageIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    /** The sweep of {@link HadirProcess}, and slack for a busy machine. */
    private static final Duration ONE_SWEEP = Duration.ofSeconds(2 + 3);

    /** A server writes the sockets of its users again every 30 s. */
    private static final Duration ONE_RENEWAL = Duration.ofSeconds(30 + 5);

    private final MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @TempDir
    Path folder = Path.of("");

    @AfterEach
    void end() {
        loop.shutdownGracefully();
    }

    @Test
    void f54_theNextSweepMakesUpForLostMessagesAboutAJoinAndALeave() throws Exception {
        try (Link link = Link.toRedis(loop, REDIS.port());
                HadirProcess a = HadirProcess.start(folder, REDIS.url()).awaitReady();
                HadirProcess b = HadirProcess.start(folder, REDIS.url().replace(":" + REDIS.port(), ":" + link.port()))
                        .awaitReady();
                Follower adi = new Follower(b.port(), "adi", "quiet");
                Follower budi = new Follower(a.port(), "budi", "quiet")) {
            adi.comeIn();

            CompletableFuture<Void> joinLost = lose(link, ":quiet:");
            budi.comeIn();
            assertThat(joinLost).succeedsWithin(Guest.PATIENCE);
            await().atMost(ONE_SWEEP).until(() -> adi.sees().equals(Set.of("adi", "budi")));

            CompletableFuture<Void> leaveLost = lose(link, ":quiet:");
            budi.leave();
            assertThat(leaveLost).succeedsWithin(Guest.PATIENCE);
            await().atMost(ONE_SWEEP).until(() -> adi.sees().equals(Set.of("adi")));
            assertThat(adi.forceLeaves()).isEmpty();
        }
    }

    @Test
    void a56_aServerThatMissedADisconnectStillClosesTheSocket() throws Exception {
        try (Link link = Link.toRedis(loop, REDIS.port());
                HadirProcess a = HadirProcess.start(folder, REDIS.url()).awaitReady();
                HadirProcess b = HadirProcess.start(folder, REDIS.url().replace(":" + REDIS.port(), ":" + link.port()))
                        .awaitReady();
                WireClient adi = new WireClient(b.port(), "{\"userId\":\"adi\"}");
                WireClient inARoom = new WireClient(b.port(), "{\"userId\":\"adi\"}")) {
            inARoom.ask("join_room", "{\"roomId\":\"r\"}");
            CompletableFuture<Void> lost = lose(link, ":users");
            ApiClient api = new ApiClient("http://127.0.0.1:" + a.port());
            assertThat(api.post("/api/v1/users/adi/disconnect", "{}")
                            .json()
                            .path("sockets")
                            .asInt())
                    .isEqualTo(2);
            assertThat(lost).succeedsWithin(Guest.PATIENCE);
            assertThat(inARoom.heard("room:force-leave").path("reason").asString())
                    .isEqualTo("kicked");
            await().atMost(ONE_RENEWAL).until(adi::isDisconnected);
            assertThat(api.get("/api/v1/users/adi").json().path("online").asBoolean())
                    .isFalse();
        }
    }

    private static CompletableFuture<Void> lose(Link link, String text) {
        CompletableFuture<Void> lost = new CompletableFuture<>();
        link.lose(text, () -> lost.complete(null)).join();
        return lost;
    }
}
