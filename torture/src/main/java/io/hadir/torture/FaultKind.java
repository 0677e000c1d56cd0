package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import java.time.Duration;
import java.util.Locale;

/**
 * Every fault that a run can inject into the servers, into Redis, and into the links between, with its consequences.
 * The descriptions are also field names of the JSON certificate.
 */
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
    KEY_DELETED("presences deleted by hand", 2, false),
    APP_KILL("kill -9 of an app", 3, true),
    APP_STOP("SIGSTOP of an app, short", 2, true);

    /**
     * Within this time, the plan makes a user join or leave in every quiet room, and chance does so in nearly every
     * other room.
     */
    private static final Duration WAIT_FOR_MESSAGE = Duration.ofSeconds(4);

    private final String description;
    private final int weight;
    private final boolean affectsOneNode;

    FaultKind(String description, int weight, boolean affectsOneNode) {
        this.description = description;
        this.weight = weight;
        this.affectsOneNode = affectsOneNode;
    }

    /** The name of the fault for {@code --only}. */
    String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String description() {
        return description;
    }

    /** How often it occurs in each round of the plan. */
    int weight() {
        return weight;
    }

    boolean affectsOneNode() {
        return affectsOneNode;
    }

    /** Whether it breaks an app that Hadir is attached to. */
    boolean isOfApp() {
        return this == APP_KILL || this == APP_STOP;
    }

    /**
     * The clients' servers that it affects. If these are apps, a fault of a Hadir server affects them all, because each
     * may have its trunk there.
     */
    int concerned(int node, boolean attached) {
        return affectsOneNode && (!attached || isOfApp()) ? node : FaultTimeline.ALL;
    }

    /** The shortest time that it may last. */
    Duration shortest(ServerSettings settings) {
        return switch (this) {
            case NODE_STOP_LONG, STORE_FREEZE_LONG -> settings.lease().plusSeconds(1);
            case CLIENTS_FREEZE_LONG -> settings.pingInterval().plus(settings.pingTimeout());
            case NODE_STOP, STORE_FREEZE, STORE_DEAF, CLIENTS_FREEZE, APP_STOP -> Duration.ofMillis(200);
            case REDIS_STOP, REDIS_PAUSE -> Duration.ofMillis(500);
            case NODE_KILL, REDIS_KILL, REDIS_EMPTY, APP_KILL -> Duration.ofMillis(100);
            case REDIS_OLD_FILE, REDIS_FAILOVER -> Duration.ofSeconds(1);
            case CLOCK_HOUR, CLOCK_LEASE -> settings.sweep().multipliedBy(2);
            case MESSAGE_LOST -> WAIT_FOR_MESSAGE;
            default -> Duration.ZERO;
        };
    }

    /** The longest time that it may last. */
    Duration longest(ServerSettings settings) {
        return switch (this) {
            case NODE_STOP_LONG, STORE_FREEZE_LONG -> settings.lease().plusSeconds(4);
            case CLIENTS_FREEZE_LONG ->
                settings.pingInterval().plus(settings.pingTimeout()).plus(settings.grace());
            case NODE_STOP, STORE_FREEZE, STORE_DEAF -> settings.toleratedOutage();
            case CLIENTS_FREEZE, APP_STOP -> settings.pingTimeout().dividedBy(2);
            case REDIS_STOP -> settings.lease().plusSeconds(2);
            case REDIS_PAUSE, NODE_KILL, REDIS_KILL, REDIS_EMPTY, APP_KILL -> Duration.ofSeconds(3);
            case REDIS_OLD_FILE, REDIS_FAILOVER -> settings.sweep();
            case CLOCK_HOUR, CLOCK_LEASE -> settings.sweep().multipliedBy(3);
            case MESSAGE_LOST -> WAIT_FOR_MESSAGE;
            default -> Duration.ZERO;
        };
    }

    /**
     * Whether the sockets of the server, or all sockets, may lose their presences. A trunk that can notice that its
     * server is away moves before it loses any.
     */
    boolean losesPresences(ServerSettings settings) {
        return switch (this) {
            case NODE_STOP_LONG, CLIENTS_FREEZE_LONG -> !settings.attached();
            case STORE_FREEZE_LONG, REDIS_EMPTY, REDIS_FLUSH -> true;
            case REDIS_OLD_FILE, REDIS_FAILOVER, CLOCK_HOUR -> true;
            default -> false;
        };
    }

    /** Whether Redis may return to an earlier state. */
    boolean rollsBack() {
        return this == REDIS_OLD_FILE || this == REDIS_FAILOVER;
    }

    boolean setsClock() {
        return this == CLOCK_HOUR || this == CLOCK_LEASE;
    }

    /** Whether it may leave presences without a socket, or with a wrong expiry, until the sweep repairs them. */
    boolean leavesDisorder() {
        return rollsBack() || setsClock();
    }

    /** Whether only a sweep repairs it. */
    boolean needsSweep() {
        return leavesDisorder() || this == MESSAGE_LOST;
    }

    /** How long the plan leaves it alone afterwards, to see whether it is repaired. */
    Duration observedFor(ServerSettings settings) {
        return needsSweep() ? settings.sweep().multipliedBy(2) : Duration.ZERO;
    }

    /** Whether it ends the process of a server. */
    boolean endsNode() {
        return this == NODE_KILL || this == NODE_TERM;
    }

    /** Whether the server must hold a whole lease without trouble before it may remove the users of others again. */
    boolean interruptsLease() {
        return switch (this) {
            case NODE_KILL, NODE_TERM, NODE_STOP_LONG, STORE_RESET, STORE_FREEZE, STORE_DEAF, STORE_FREEZE_LONG -> true;
            default -> false;
        };
    }

    /** Whether Redis may forget who was in a room, so that nobody can name the users who are out. */
    boolean erasesRooms() {
        return this == REDIS_FLUSH || this == REDIS_EMPTY || rollsBack() || this == CLOCK_HOUR;
    }

    /** How long after its end everything works again. */
    Duration recovery(ServerSettings settings) {
        if (settings.attached() && affectsOneNode && this != MESSAGE_LOST) {
            // A trunk notices and moves, and what it left behind gets a grace period.
            return settings.lease().plus(settings.grace()).plusSeconds(2);
        }
        return switch (this) {
            case REDIS_OLD_FILE, REDIS_FAILOVER, CLOCK_HOUR, CLOCK_LEASE, MESSAGE_LOST ->
                settings.sweep().plus(Cause.ANNOUNCING.multipliedBy(2));
            case CLIENTS_RESET, CLIENTS_CUT, KEY_DELETED, REDIS_FLUSH, NODE_KILL, NODE_TERM -> Duration.ZERO;
            case NODE_STOP, NODE_STOP_LONG, CLIENTS_FREEZE, CLIENTS_FREEZE_LONG -> Duration.ofSeconds(1);
            case REDIS_CLIENTS, STORE_RESET -> Duration.ofSeconds(2);
            default -> Duration.ofSeconds(4);
        };
    }
}
