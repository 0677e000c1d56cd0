package io.hadir.server;

import io.hadir.presence.sweep.Nodes;
import io.hadir.socketio.Json;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * What the other nodes know about this one.
 *
 * @param id the prefix of its sockets' ids
 * @param place null if it is unknown
 */
record NodeInfo(
        String id,
        Instant startedAt,
        String version,
        @Nullable ProcessPlace place) {
    /** Leaves out letters and digits that look alike. */
    private static final String LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

    private static final int LENGTH = 10;
    private static final Path ROOT = Path.of("/");

    /** @param port 0 if any port will do */
    static NodeInfo create(String version, String host, int port) {
        SecureRandom random = new SecureRandom();
        StringBuilder id = new StringBuilder(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            id.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return new NodeInfo(id.toString(), Instant.now(), version, ProcessPlace.own(ROOT, host, port));
    }

    /**
     * The report in the node's lease.
     *
     * @param users how many users the node leads
     */
    String toJson(int sockets, int users, Duration lease) {
        String process = place == null ? "" : ",\"process\":\"" + place.text() + "\"";
        return "{\"nodeId\":\"" + id + "\",\"startedAt\":" + startedAt.toEpochMilli() + ",\"version\":\"" + version
                + "\",\"sockets\":" + sockets + ",\"users\":" + users + ",\"leaseMillis\":" + lease.toMillis() + process
                + "}";
    }

    /** Whether another node ran where this one runs, and its process is certainly gone. */
    boolean succeeds(Nodes.LastSign other) {
        if (place == null) {
            return false;
        }
        try {
            JsonNode report = Json.MAPPER.readTree(other.report());
            ProcessPlace former = ProcessPlace.parse(report.path("process").asString(""));
            Duration lease = Duration.ofMillis(report.path("leaseMillis").asLong(Long.MAX_VALUE));
            Duration silence = Duration.between(other.at(), other.readAt());
            return former != null && place.isGone(former, silence, lease, ROOT);
        } catch (JacksonException malformed) {
            return false;
        }
    }
}
