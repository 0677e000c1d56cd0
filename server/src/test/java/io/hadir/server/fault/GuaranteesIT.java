package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class GuaranteesIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder = Path.of("");

    @Test
    void g7_g8_aRemovedUserIsToldAndNobodyChangesAnotherUsersPresence() throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, REDIS.url(), "--sweep-seconds=1")) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            Guest budi = Guest.join(server.port(), "budi", "r");

            REDIS.cli().expire("room:presence:r:adi", 1000);
            for (String event : new String[] {"join_room", "room:heartbeat", "leave_room"}) {
                assertThat(budi.send(event, "{\"roomId\":\"r\",\"userId\":\"adi\",\"everywhere\":true}")
                                .join()
                                .at("/error/code")
                                .asString())
                        .as(event)
                        .isEqualTo("forbidden");
            }
            assertThat(REDIS.cli().ttl("room:presence:r:adi")).isBetween(900L, 1000L);
            assertThat(adi.list("r")).containsExactlyInAnyOrder("adi", "budi");
            assertThat(adi.forceLeaves()).isEmpty();

            // No heartbeat: only the sweep notices.
            REDIS.cli().del("room:presence:r:adi");
            await().atMost(Duration.ofSeconds(10)).until(adi::isGone);
            assertThat(adi.forceLeaves()).containsExactly("presence_lost");
            await().until(() -> budi.left().contains("adi presence_lost"));
            assertThat(budi.forceLeaves()).isEmpty();
        }
    }
}
