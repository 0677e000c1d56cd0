package io.hadir.socketio;

import java.security.SecureRandom;
import java.util.Base64;

/** Makes socket ids: the node's id, a dot, and 120 random bits. */
final class SocketIds {
    private static final int RANDOM_BYTES = 15;

    private final SecureRandom random = new SecureRandom();
    private final String prefix;

    SocketIds(String nodeId) {
        this.prefix = nodeId + ".";
    }

    String next() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
