package io.hadir.redis.store;

import io.hadir.presence.sweep.Nodes.NodeStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** The report in a node's lease: {@code {nodeId, startedAt, version, sockets, users, leaseMillis, process}}. */
final class NodeReport {
    private static final JsonMapper JSON = JsonMapper.shared();

    private NodeReport() {}

    static NodeStatus read(String id, String text, @Nullable Duration lease) {
        JsonNode report = parse(text);
        JsonNode startedAt = report.path("startedAt");
        JsonNode version = report.path("version");
        JsonNode sockets = report.path("sockets");
        JsonNode users = report.path("users");
        return new NodeStatus(
                id,
                startedAt.canConvertToLong() ? Instant.ofEpochMilli(startedAt.longValue()) : null,
                version.isString() ? version.stringValue() : null,
                sockets.canConvertToLong() ? (Long) sockets.longValue() : null,
                users.canConvertToLong() ? (Long) users.longValue() : null,
                lease);
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (JacksonException malformed) {
            return MissingNode.getInstance();
        }
    }
}
