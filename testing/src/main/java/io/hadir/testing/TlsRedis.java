package io.hadir.testing;

import io.hadir.embedded.EmbeddedRedis;
import io.hadir.embedded.StartupWait;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A Redis that requires TLS and a client certificate of its CA: alone, with a sentinel, or as a cluster. */
public final class TlsRedis implements AutoCloseable {
    private static final int SLOTS = 16_384;

    private final List<EmbeddedRedis> all = new ArrayList<>();
    private final Certificates certificates;
    private final int tlsPort = EmbeddedRedis.freePort();
    private String url = "";

    private TlsRedis(Certificates certificates) throws IOException {
        this.certificates = certificates;
    }

    public static TlsRedis alone(Certificates certificates) throws IOException {
        TlsRedis made = new TlsRedis(certificates);
        EmbeddedRedis redis = made.start(List.of());
        made.url = "rediss://:" + redis.password() + "@127.0.0.1:" + made.tlsPort;
        return made;
    }

    public static TlsRedis withSentinel(Certificates certificates) throws IOException {
        TlsRedis made = new TlsRedis(certificates);
        EmbeddedRedis redis = made.start(List.of());
        int port = EmbeddedRedis.freePort();
        List<String> watching = made.tls(port);
        watching.addAll(List.of(
                "tls-replication yes",
                "sentinel monitor m 127.0.0.1 " + made.tlsPort + " 1",
                "sentinel auth-pass m " + redis.password()));
        made.all.add(EmbeddedRedis.start(new EmbeddedRedis.Role("", true, () -> watching)));
        made.url = "rediss-sentinel://:" + redis.password() + "@127.0.0.1:" + port + "/0#m";
        return made;
    }

    public static TlsRedis cluster(Certificates certificates) throws IOException {
        TlsRedis made = new TlsRedis(certificates);
        EmbeddedRedis redis = made.start(List.of(
                "cluster-enabled yes",
                "tls-cluster yes",
                "cluster-port " + EmbeddedRedis.freePort(),
                "cluster-announce-ip 127.0.0.1"));
        try (RedisClient client = RedisClient.create()) {
            RedisCommands<String, String> cli =
                    client.connect(RedisURI.create(redis.url())).sync();
            CommandArgs<String, String> slots = new CommandArgs<>(StringCodec.UTF8).add("ADDSLOTSRANGE");
            cli.dispatch(
                    CommandType.CLUSTER,
                    new StatusOutput<>(StringCodec.UTF8),
                    slots.add(0).add(SLOTS - 1));
            StartupWait.until("every slot is served", () -> cli.clusterInfo().contains("cluster_state:ok"));
        }
        made.url = "rediss-cluster://:" + redis.password() + "@127.0.0.1:" + made.tlsPort;
        return made;
    }

    private EmbeddedRedis start(List<String> more) throws IOException {
        List<String> lines = tls(tlsPort);
        lines.addAll(more);
        EmbeddedRedis redis = EmbeddedRedis.start(lines);
        all.add(redis);
        return redis;
    }

    private List<String> tls(int port) {
        return new ArrayList<>(List.of(
                "tls-port " + port,
                "tls-ca-cert-file " + certificates.ca(),
                "tls-cert-file " + certificates.certificate(),
                "tls-key-file " + certificates.key(),
                "tls-auth-clients yes"));
    }

    public String url() {
        return url;
    }

    @Override
    public void close() {
        all.forEach(EmbeddedRedis::close);
    }
}
