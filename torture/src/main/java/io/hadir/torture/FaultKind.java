package io.hadir.torture;

import java.time.Duration;
import java.util.Locale;

/** What is done to the servers, to Redis, and to what lies between. */
enum FaultKind {
    NODE_KILL("kill -9 of a server", 3, true),
    NODE_TERM("SIGTERM of a server", 2, true),
    NODE_STOP("SIGSTOP of a server, short", 2, true),
    NODE_STOP_LONG("SIGSTOP of a server, past its lease", 1, true),
    CLIENTS_RESET("links of a server's clients reset", 1, true),
    CLIENTS_CUT("links of a server's clients closed", 2, true),
    CLIENTS_FREEZE("links of a server's clients frozen, short", 1, true),
    CLIENTS_FREEZE_LONG("links of a server's clients frozen, past the ping timeout", 1, true),
    STORE_RESET("a server's link to Redis reset", 2, true),
    STORE_FREEZE("a server's link to Redis frozen, short", 2, true),
    STORE_DEAF("answers of Redis to a server held back, short", 1, true),
    STORE_FREEZE_LONG("a server's link to Redis frozen, past its lease", 1, true),
    REDIS_STOP("SIGSTOP of Redis", 1, false),
    REDIS_KILL("kill -9 of Redis, back with its data", 1, false),
    REDIS_EMPTY("kill -9 of Redis, back empty", 1, false),
    REDIS_FLUSH("FLUSHALL", 1, false),
    REDIS_CLIENTS("CLIENT KILL of every connection", 1, false),
    REDIS_PAUSE("CLIENT PAUSE WRITE", 1, false),
    REDIS_OLD_FILE("kill -9 of Redis, back with an older file", 2, false),
    REDIS_FAILOVER("kill -9 of Redis, a replica that lags takes over", 2, false),
    CLOCK_HOUR("Redis' clock jumps by an hour", 2, false),
    CLOCK_LEASE("Redis' clock jumps by more than a lease", 1, false),
    MESSAGE_LOST("a message of Redis to a server lost", 4, true),
    KEY_DELETED("presences deleted by hand", 2, false);

    /** In which the plan has somebody come or go in every quiet room, and chance in nearly every other. */
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    private final String words;
    private final int weight;
    private final boolean ofOneNode;

    FaultKind(String words, int weight, boolean ofOneNode) {
        this.words = words;
        this.weight = weight;
        this.ofOneNode = ofOneNode;
    }

    /** As people write it on a command line. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String words() {
        return words;
    }

    /** How often it is drawn until all are drawn anew. */
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
            case REDIS_OLD_FILE, REDIS_FAILOVER -> Duration.ofSeconds(1);
            case CLOCK_HOUR, CLOCK_LEASE -> terms.sweep().multipliedBy(2);
            case MESSAGE_LOST -> PATIENCE;
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
            case REDIS_OLD_FILE, REDIS_FAILOVER -> terms.sweep();
            case CLOCK_HOUR, CLOCK_LEASE -> terms.sweep().multipliedBy(3);
            case MESSAGE_LOST -> PATIENCE;
            default -> Duration.ZERO;
        };
    }

    /** Whether the sockets of the server, or all of them, may lose their presence by it. */
    boolean loses() {
        return switch (this) {
            case NODE_STOP_LONG, STORE_FREEZE_LONG, CLIENTS_FREEZE_LONG, REDIS_EMPTY, REDIS_FLUSH -> true;
            case REDIS_OLD_FILE, REDIS_FAILOVER, CLOCK_HOUR -> true;
            default -> false;
        };
    }

    /** Whether what Redis has afterwards may be of a time before. */
    boolean goesBack() {
        return this == REDIS_OLD_FILE || this == REDIS_FAILOVER;
    }

    boolean setsClock() {
        return this == CLOCK_HOUR || this == CLOCK_LEASE;
    }

    /** Whether presences may be left that nobody holds, or that end at a wrong time, until the sweep puts it right. */
    boolean disorders() {
        return goesBack() || setsClock();
    }

    /** Whether it takes a sweep until it is put right. */
    boolean takesLong() {
        return disorders() || this == MESSAGE_LOST;
    }

    /** How long after its end it is worth looking whether it is put right. */
    Duration lookedAt(Terms terms) {
        return takesLong() ? terms.sweep().multipliedBy(2) : Duration.ZERO;
    }

    /** Whether the server may not judge others afterwards before a whole lease has gone well. */
    boolean unsettles() {
        return switch (this) {
            case NODE_KILL, NODE_TERM, NODE_STOP_LONG, STORE_RESET, STORE_FREEZE, STORE_DEAF, STORE_FREEZE_LONG -> true;
            default -> false;
        };
    }

    /** Whether nothing may be left in Redis by which anybody could be told that somebody is out. */
    boolean forgets() {
        return this == REDIS_FLUSH || this == REDIS_EMPTY || goesBack() || this == CLOCK_HOUR;
    }

    /** How long after its end everything runs as if it had not been. */
    Duration recovery(Terms terms) {
        return switch (this) {
            case REDIS_OLD_FILE, REDIS_FAILOVER, CLOCK_HOUR, CLOCK_LEASE, MESSAGE_LOST ->
                terms.sweep().plus(Cause.TELLING.multipliedBy(2));
            case CLIENTS_RESET, CLIENTS_CUT, KEY_DELETED, REDIS_FLUSH, NODE_KILL, NODE_TERM -> Duration.ZERO;
            case NODE_STOP, NODE_STOP_LONG, CLIENTS_FREEZE, CLIENTS_FREEZE_LONG -> Duration.ofSeconds(1);
            case REDIS_CLIENTS, STORE_RESET -> Duration.ofSeconds(2);
            default -> Duration.ofSeconds(4);
        };
    }
}
