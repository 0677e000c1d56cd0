package io.hadir.torture;

import java.time.Duration;

/** What is done to the servers, to Redis, and to what lies between. */
enum FaultKind {
    NODE_KILL("kill -9 of a server", 12, true),
    NODE_TERM("SIGTERM of a server", 6, true),
    NODE_STOP("SIGSTOP of a server, short", 8, true),
    NODE_STOP_LONG("SIGSTOP of a server, past its lease", 4, true),
    CLIENTS_RESET("links of a server's clients reset", 6, true),
    CLIENTS_CUT("links of a server's clients closed", 6, true),
    CLIENTS_FREEZE("links of a server's clients frozen, short", 6, true),
    CLIENTS_FREEZE_LONG("links of a server's clients frozen, past the ping timeout", 4, true),
    STORE_RESET("a server's link to Redis reset", 8, true),
    STORE_FREEZE("a server's link to Redis frozen, short", 8, true),
    STORE_DEAF("answers of Redis to a server held back, short", 6, true),
    STORE_FREEZE_LONG("a server's link to Redis frozen, past its lease", 4, true),
    REDIS_STOP("SIGSTOP of Redis", 6, false),
    REDIS_KILL("kill -9 of Redis, back with its data", 5, false),
    REDIS_EMPTY("kill -9 of Redis, back empty", 4, false),
    REDIS_FLUSH("FLUSHALL", 5, false),
    REDIS_CLIENTS("CLIENT KILL of every connection", 5, false),
    REDIS_PAUSE("CLIENT PAUSE WRITE", 4, false),
    KEY_DELETED("presences deleted by hand", 5, false);

    private final String words;
    private final int weight;
    private final boolean ofOneNode;

    FaultKind(String words, int weight, boolean ofOneNode) {
        this.words = words;
        this.weight = weight;
        this.ofOneNode = ofOneNode;
    }

    String words() {
        return words;
    }

    int weight() {
        return weight;
    }

    boolean ofOneNode() {
        return ofOneNode;
    }

    /** How long it may last, from and to. */
    Duration shortest(Terms terms) {
        return switch (this) {
            case NODE_STOP_LONG, STORE_FREEZE_LONG -> terms.lease().plusSeconds(1);
            case CLIENTS_FREEZE_LONG -> terms.pingInterval().plus(terms.pingTimeout());
            case NODE_STOP, STORE_FREEZE, STORE_DEAF, CLIENTS_FREEZE -> Duration.ofMillis(200);
            case REDIS_STOP, REDIS_PAUSE -> Duration.ofMillis(500);
            case NODE_KILL, REDIS_KILL, REDIS_EMPTY -> Duration.ofMillis(100);
            default -> Duration.ZERO;
        };
    }

    Duration longest(Terms terms) {
        return switch (this) {
            case NODE_STOP_LONG, STORE_FREEZE_LONG -> terms.lease().plusSeconds(4);
            case CLIENTS_FREEZE_LONG ->
                terms.pingInterval().plus(terms.pingTimeout()).plus(terms.grace());
            case NODE_STOP, STORE_FREEZE, STORE_DEAF -> terms.harmless();
            case CLIENTS_FREEZE -> terms.pingTimeout().dividedBy(2);
            case REDIS_STOP -> terms.lease().plusSeconds(2);
            case REDIS_PAUSE, NODE_KILL, REDIS_KILL, REDIS_EMPTY -> Duration.ofSeconds(3);
            default -> Duration.ZERO;
        };
    }

    /** Whether the sockets of the server, or all of them, may lose their presence by it. */
    boolean loses() {
        return switch (this) {
            case NODE_STOP_LONG, STORE_FREEZE_LONG, CLIENTS_FREEZE_LONG, REDIS_EMPTY, REDIS_FLUSH -> true;
            default -> false;
        };
    }

    /** Whether the server may not judge others afterwards before a whole lease has gone well. */
    boolean unsettles() {
        return switch (this) {
            case NODE_KILL, NODE_TERM, NODE_STOP_LONG, STORE_RESET, STORE_FREEZE, STORE_DEAF, STORE_FREEZE_LONG -> true;
            default -> false;
        };
    }

    /** Whether nothing is left in Redis by which anybody could be told that somebody is out. */
    boolean empties() {
        return this == REDIS_FLUSH || this == REDIS_EMPTY;
    }

    /** How long after its end everything runs as if it had not been. */
    Duration recovery() {
        return switch (this) {
            case CLIENTS_RESET, CLIENTS_CUT, KEY_DELETED, REDIS_FLUSH, NODE_KILL, NODE_TERM -> Duration.ZERO;
            case NODE_STOP, NODE_STOP_LONG, CLIENTS_FREEZE, CLIENTS_FREEZE_LONG -> Duration.ofSeconds(1);
            case REDIS_CLIENTS, STORE_RESET -> Duration.ofSeconds(2);
            default -> Duration.ofSeconds(4);
        };
    }
}
