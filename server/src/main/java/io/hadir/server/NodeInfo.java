package io.hadir.server;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;

/**
 * What the other nodes know about this one.
 *
 * @param id the prefix of its sockets' ids
 */
record NodeInfo(String id, Instant startedAt, String version) {
    /** Without letters and digits that look alike. */
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
