package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.trunk.AppTrunk;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ReloadIT {
    private static final String OLD = AppTrunk.KEY;
    private static final String NEW = "0123456789-new-key";

    /** Java leaves a signal alone that was ignored when it started, as under nohup. */
    private static final List<String> HEARING_SIGHUP = List.of("env", "--default-signal=HUP");

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder = Path.of("");

    @Test
    void onSighupTheServerTakesNewKeysAndOpenTrunksStay() throws Exception {
        Path file = folder.resolve("hadir.yaml");
        Files.writeString(file, keys(OLD));
        try (HadirProcess server = HadirProcess.startUnder(HEARING_SIGHUP, folder, REDIS.url(), "--config=" + file)
                        .awaitReady();
                AppTrunk open = AppTrunk.hello(server.port(), "open", 1)) {
            assertThat(status(server, NEW)).isEqualTo(401);
            assertThat(stats(server, "api-" + OLD)).isEqualTo(200);

            Files.writeString(file, "trunk-key: [");
            server.reload();
            await().until(() -> server.log().contains("The configuration stays as it is"));
            assertThat(status(server, OLD)).isEqualTo(101);

            Files.writeString(file, keys(NEW));
            server.reload();
            await().until(() -> status(server, NEW) == 101);
            assertThat(status(server, OLD)).isEqualTo(401);
            assertThat(stats(server, "api-" + NEW)).isEqualTo(200);
            assertThat(stats(server, "api-" + OLD)).isEqualTo(401);
            assertThat(server.log()).doesNotContain(OLD, NEW);

            assertThat(open.open(1, "adi").join(1, "r").path("ok").asBoolean()).isTrue();
        }
    }

    private static String keys(String key) {
        return "trunk-key: " + key + "\napi-key: api-" + key + "\n";
    }

    /** The status with which the server answers a trunk with this key. */
    private static int status(HadirProcess server, String key) throws IOException {
        try (RawConnection connection = new RawConnection(server.port())) {
            connection.get("/trunk", RawWebSocket.handshake("Authorization: Bearer " + key));
            return connection.head().status();
        }
    }

    private static int stats(HadirProcess server, String key) throws IOException {
        try (RawConnection connection = new RawConnection(server.port())) {
            return connection
                    .get("/api/v1/stats", "Authorization: Bearer " + key)
                    .response()
                    .status();
        }
    }
}
