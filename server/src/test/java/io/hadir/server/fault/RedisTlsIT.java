package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.Certificates;
import io.hadir.testing.TlsRedis;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server whose Redis requires TLS and a client certificate, and has a certificate of a private CA. */
class RedisTlsIT {
    @TempDir
    static Path keys = Path.of("");

    private static Certificates certificates;

    @TempDir
    Path folder = Path.of("");

    enum Kind {
        ALONE,
        SENTINEL,
        CLUSTER
    }

    @BeforeAll
    static void make() throws Exception {
        certificates = new Certificates(keys);
    }

    private static TlsRedis start(Kind kind) throws IOException {
        return switch (kind) {
            case ALONE -> TlsRedis.alone(certificates);
            case SENTINEL -> TlsRedis.withSentinel(certificates);
            case CLUSTER -> TlsRedis.cluster(certificates);
        };
    }

    private static final String CA = "--redis-ca=";
    private static final String CERT = "--redis-cert=";
    private static final String KEY = "--redis-key=";

    @ParameterizedTest
    @EnumSource
    void aServerWithTheCaAndItsOwnCertificateWorks(Kind kind) throws Exception {
        try (TlsRedis redis = start(kind);
                HadirProcess server = HadirProcess.start(
                                folder,
                                redis.url(),
                                CA + certificates.ca(),
                                CERT + certificates.certificate(),
                                KEY + certificates.key())
                        .awaitReady()) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            Guest.join(server.port(), "budi", "r");
            await().until(() -> adi.joined().contains("budi"));
            assertThat(adi.heartbeat("r").path("ok").asBoolean()).isTrue();
        }
    }

    @Test
    void withoutTheCaOrACertificateReadinessSaysWhatIsMissing() throws Exception {
        try (TlsRedis redis = TlsRedis.alone(certificates);
                HadirProcess distrustful = HadirProcess.start(folder, redis.url());
                HadirProcess anonymous = HadirProcess.start(folder, redis.url(), CA + certificates.ca())) {
            assertThat(distrustful.ready()).startsWith("503 ").contains("its certificate is not trusted");
            assertThat(anonymous.ready()).startsWith("503 ").contains("TLS");
        }
    }
}
