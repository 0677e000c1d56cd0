package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.NodeStatus;
import io.hadir.presence.stats.Overview;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** {@code /nodes}: the servers that share this Redis. */
public final class NodeRoutes {
    private NodeRoutes() {}

    public static void add(Api api, Overview overview) {
        api.get("/nodes", call -> list(overview));
    }

    private static CompletionStage<Answer<Map<String, Object>>> list(Overview overview) {
        return overview.nodes()
                .thenApply(answer -> answer.map(nodes ->
                        Map.of("nodes", nodes.stream().map(NodeRoutes::fields).toList())));
    }

    private static Map<String, Object> fields(NodeStatus node) {
        Instant startedAt = node.startedAt();
        Duration lease = node.lease();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("nodeId", node.id());
        message.put("startedAt", startedAt == null ? null : startedAt.toEpochMilli());
        message.put("version", node.version());
        message.put("sockets", node.sockets());
        message.put("leaseMs", lease == null ? null : lease.toMillis());
        return message;
    }
}
