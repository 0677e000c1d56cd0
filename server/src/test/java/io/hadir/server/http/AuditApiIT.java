package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.testing.Logs;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.Test;

class AuditApiIT extends OnApiServer {
    private static final String AUDIT = "/api/v1/audit";

    @Test
    void anAuditStartsOnRequestAndItsReportStaysAvailable() {
        assertThat(api.post(AUDIT, "{}").json().path("audit").path("repair").asBoolean())
                .isFalse();
        await().until(this::phase, "finished"::equals);
        assertThat(api.get(AUDIT).json().path("audit").path("discrepancies")).isEmpty();
    }

    @Test
    void anAuditOfEmptyRoomsFinishes() {
        redis.cli().zadd("hadir:room:r:index", 1, "ana");
        api.post(AUDIT, "{}");
        await().until(this::phase, "looking_again"::equals);
        assertThat(api.get(AUDIT).json().at("/audit/counts/index_without_key").asInt(0))
                .isEqualTo(1);
        redis.cli().del("hadir:room:r:index");
        await().until(this::phase, "finished"::equals);
    }

    private String phase() {
        return api.get(AUDIT).json().at("/audit/phase").asString("");
    }

    @Test
    void theLogSaysWhyAnAuditFailed() {
        try (Logs logs = Logs.listen()) {
            redis.cli().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.SCAN));
            api.post(AUDIT, "{}");
            await().until(() -> logs.troubles().stream()
                    .anyMatch(line -> line.startsWith("WARN An audit failed: ") && line.contains("scan")));
            await().until(this::phase, "failed"::equals);
        } finally {
            redis.cli().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        }
    }

    @Test
    void a21_aRepairThatIsNotABooleanIsRefused() {
        ApiClient.Answer refused = api.post(AUDIT, "{\"repair\":\"yes\"}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.field()).isEqualTo("repair");
        assertThat(api.send("POST", AUDIT, "{}", "Content-Type", "text/plain").status())
                .isEqualTo(415);
        assertThat(api.send("POST", AUDIT, "", "Accept", "*/*").status())
                .as("no field is required")
                .isEqualTo(200);
    }
}
