package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.RawConnection;
import io.hadir.testing.TestRedis;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class DescriptorsIT {
    private static final int DESCRIPTORS = 400;

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder = Path.of("");

    @Test
    void f13_withFewDescriptorsStrangersAreClosedAndUsersStayConnected() throws Exception {
        List<RawConnection> idle = new ArrayList<>();
        try (HadirProcess server = HadirProcess.startWithDescriptors(DESCRIPTORS, folder, REDIS.url())) {
            assertThat(server.log()).contains("At most 250 connections");
            Guest old = Guest.join(server.port(), "old", "r");
            while (idle.size() < DESCRIPTORS) {
                idle.add(new RawConnection(server.port()));
            }
            assertThat(idle.get(0).isClosedByServer()).isTrue();
            assertThat(idle.get(DESCRIPTORS - 1).get("/healthz").response().status())
                    .isEqualTo(200);
            assertThat(old.heartbeat("r").path("ok").asBoolean()).isTrue();

            for (RawConnection connection : idle) {
                connection.close();
            }
            await().untilAsserted(() -> {
                try (RawConnection fresh = new RawConnection(server.port())) {
                    assertThat(fresh.get("/healthz").response().status()).isEqualTo(200);
                }
            });
            assertThat(Guest.join(server.port(), "new", "r").list("r")).containsExactlyInAnyOrder("old", "new");
            assertThat(old.isGone()).isFalse();
        }
    }

    @Test
    void f13_whenDescriptorsRunOutOpenSocketsSurviveAndTheServerRecovers() throws Exception {
        try (HadirProcess server = HadirProcess.startWithDescriptors(DESCRIPTORS, folder, REDIS.url())) {
            Guest old = Guest.join(server.port(), "old", "r");
            limit(server, next(server));
            try (RawConnection waiting = new RawConnection(server.port())) {
                waiting.get("/healthz");
                await().until(() -> server.log().contains("could not be accepted: "));
                assertThat(old.heartbeat("r").path("ok").asBoolean()).isTrue();

                limit(server, DESCRIPTORS);
                assertThat(waiting.response().status()).isEqualTo(200);
            }
            assertThat(Guest.join(server.port(), "new", "r").list("r")).containsExactlyInAnyOrder("old", "new");
            assertThat(old.forceLeaves()).isEmpty();
            assertThat(old.isGone()).isFalse();
        }
    }

    /** The number of the next descriptor that it would open. */
    private static int next(HadirProcess server) {
        return IntStream.iterate(0, number -> number + 1)
                .filter(number ->
                        !Files.exists(Path.of("/proc/" + server.pid() + "/fd/" + number), LinkOption.NOFOLLOW_LINKS))
                .findFirst()
                .orElseThrow();
    }

    private static void limit(HadirProcess server, int most) throws Exception {
        assertThat(new ProcessBuilder("prlimit", "--pid", "" + server.pid(), "--nofile=" + most + ":" + DESCRIPTORS)
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }
}
