package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import io.hadir.testing.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** A whole server on a cluster of three masters with a replica each. The last test damages the cluster. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterServerIT {
    private static TestCluster cluster;

    @TempDir
    Path folder = Path.of("");

    @BeforeAll
    static void start() throws Exception {
        cluster = new TestCluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    @Order(0)
    void f37_explainAndAuditReadEveryMaster() throws Exception {
        List<String> rooms = cluster.masters().stream()
                .map(master -> cluster.idAt(master, "audited"))
                .toList();
        try (HadirProcess server = HadirProcess.start(folder, cluster.url()).awaitReady()) {
            Guest adi = Guest.connect(server.port(), "adi");
            for (String room : rooms) {
                adi.comeIn(room, 5).join();
                assertThat(server.get("/api/v1/rooms/" + room + "/participants/adi/explain"))
                        .startsWith("200 ")
                        .contains("\"present\":true,\"listed\":true", "\"what\":\"joined\"");
            }
            assertThat(audit(server, false))
                    .contains("\"presences\":3", "\"counts\":{}", "\"discrepancies\":[]", "\"silentNodes\":[]");
            for (String room : rooms) {
                String details = "room:{" + room + "}:user:nobody";
                cluster.cli(cluster.owner(details)).set(details, "{\"sockets\":{},\"joinedAt\":1}");
            }
            assertThat(audit(server, true)).contains("\"discrepancies\":[]");
            for (String room : rooms) {
                String details = "room:{" + room + "}:user:nobody";
                assertThat(cluster.cli(cluster.owner(details)).exists(details)).isZero();
            }
            assertThat(adi.forceLeaves()).isEmpty();
        }
    }

    /** The report of a finished audit. */
    private static String audit(HadirProcess server, boolean repair) throws Exception {
        assertThat(server.post("/api/v1/audit", "{\"repair\":" + repair + "}")).startsWith("200 ");
        return await().atMost(Duration.ofSeconds(60))
                .until(() -> server.get("/api/v1/audit"), said -> said.contains("\"phase\":\"finished\""));
    }

    @Test
    @Order(1)
    void f37_whenAMasterIsLostWithoutAReplicaOnlyItsRoomsAreUnavailable() throws Exception {
        EmbeddedRedis leases = cluster.owner("hadir:{nodes}:known");
        EmbeddedRedis lost = cluster.masters().stream()
                .filter(master -> master != leases && master != cluster.owner("hadir:{rooms}:occupied"))
                .findFirst()
                .orElseThrow();
        String room = cluster.idAt(leases, "kept");
        String gone = cluster.idAt(lost, "gone");
        try (HadirProcess server = HadirProcess.start(folder, cluster.url()).awaitReady()) {
            Guest adi = Guest.join(server.port(), "adi", room);
            // This user's own keys are lost, too.
            Guest budi = Guest.join(server.port(), cluster.idAt(lost, "budi"), room);
            adi.comeIn(gone, 5).join();
            for (EmbeddedRedis replica : cluster.replicas(lost)) {
                cluster.kill(replica);
            }
            // The default of a cluster: it serves all slots or none.
            requireFullCoverage("yes");
            cluster.kill(lost);
            await().until(() ->
                    server.ready().startsWith("503 ") && server.ready().contains("CLUSTERDOWN"));
            assertThat(adi.heartbeat(room).path("error").path("code").asString())
                    .isEqualTo("presence_unavailable");
            requireFullCoverage("no");

            await().until(() ->
                    server.ready().startsWith("200 ") && server.ready().contains(lost.address()));
            await().until(() -> server.log().contains("the master at " + lost.address()));
            assertThat(adi.heartbeat(gone).path("error").path("code").asString())
                    .isEqualTo("presence_unavailable");
            assertThat(adi.join(gone).path("error").path("code").asString()).isEqualTo("presence_unavailable");
            await().until(() -> adi.heartbeat(room).path("ok").asBoolean());
            // Names are announced again once the server has subscribed to the room's channel.
            String channel = "hadir:room:{" + room + "}:changes";
            await().until(() -> cluster.cli(leases).pubsubShardNumsub(channel).containsValue(1L));
            Guest citra = Guest.join(server.port(), "citra", room);
            await().until(() -> adi.joined().contains("citra"));
            citra.close();
            await().until(() -> adi.left().contains("citra disconnected"));
            await().during(HadirProcess.LEASE.multipliedBy(2))
                    .atMost(Guest.PATIENCE)
                    .until(() -> {
                        assertThat(adi.left()).containsExactly("citra disconnected");
                        return adi.forceLeaves().isEmpty()
                                && budi.forceLeaves().isEmpty()
                                && !adi.isGone()
                                && !budi.isGone();
                    });
            assertThat(adi.list(room)).containsExactlyInAnyOrder("adi", budi.user);
            assertThat(server.get("/api/v1/rooms"))
                    .startsWith("200 ")
                    .contains("{\"roomId\":\"" + room + "\",\"viewerCount\":2}")
                    .contains("{\"roomId\":\"" + gone + "\",\"viewerCount\":null}");
            assertThat(server.get("/api/v1/rooms/" + gone)).startsWith("503 ").contains("presence_unavailable");
            assertThat(server.get("/api/v1/rooms/" + room)).startsWith("200 ");
        }
    }

    private static void requireFullCoverage(String value) {
        cluster.masters().forEach(master -> cluster.cli(master).configSet("cluster-require-full-coverage", value));
    }
}
