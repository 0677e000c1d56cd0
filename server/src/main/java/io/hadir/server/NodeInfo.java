package io.hadir.server;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;

/**
 * What the other nodes may know of this one.
 *
 * @param id what the ids of its sockets start with
 */
record NodeInfo(String id, Instant startedAt, String version) {
    /** Letters that nobody confuses, so that an id can be read out over the telephone. */
    private static final String LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

    private static final int LENGTH = 10;

    static NodeInfo create(String version) {
        SecureRandom random = new SecureRandom();
        StringBuilder id = new StringBuilder(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            id.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return new NodeInfo(id.toString(), Instant.now(), version);
    }

    String toJson(int sockets, Duration lease) {
        return "{\"nodeId\":\"" + id + "\",\"startedAt\":" + startedAt.toEpochMilli() + ",\"version\":\"" + version
                + "\",\"sockets\":" + sockets + ",\"leaseMillis\":" + lease.toMillis() + "}";
    }
}
