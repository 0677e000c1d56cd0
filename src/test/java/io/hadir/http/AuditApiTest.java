package io.hadir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.OnApiServer;
import io.hadir.support.ApiClient;
import org.junit.jupiter.api.Test;

class AuditApiTest extends OnApiServer {
    private static final String AUDIT = "/api/v1/audit";

    @Test
    void anAuditBeginsWhenItIsAskedForAndIsShownAfterwards() {
        assertThat(api.post(AUDIT, "{}").json().path("audit").path("repair").asBoolean())
                .isFalse();
        await().until(
                        () -> api.get(AUDIT).json().path("audit").path("phase").asString(),
                        phase -> phase.equals("finished"));
        assertThat(api.get(AUDIT).json().path("audit").path("discrepancies")).isEmpty();
    }

    @Test
    void a21_whatIsNoYesOrNoIsRefused() {
        ApiClient.Answer refused = api.post(AUDIT, "{\"repair\":\"yes\"}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.field()).isEqualTo("repair");
        assertThat(api.send("POST", AUDIT, "{}", "Content-Type", "text/plain").status())
                .isEqualTo(415);
    }
}
