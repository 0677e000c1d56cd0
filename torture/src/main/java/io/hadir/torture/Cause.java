package io.hadir.torture;

import java.time.Duration;

/** Why a socket does not hold its seat any more, and how much time the contract gives until everybody knows. */
enum Cause {
    LEAVE("leave"),
    CLOSE("close"),
    SILENCE("silence"),
    KILL("kill -9"),
    TERMINATE("SIGTERM"),
    IDLE("no heartbeat"),
    /** The server has said so. */
    TOLD("put out"),
    /** A join that was answered with an error. */
    REFUSED("join refused");

    /** What is added to every time for telling the others. */
    static final Duration TELLING = Duration.ofSeconds(1);

    /** In which those of a server are removed whose lease has run out. */
    static final Duration AFTER_LEASE = Duration.ofSeconds(5);

    private final String words;

    Cause(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    /** When the user has to be out, and the others have to know, counted from what happened. */
    Duration allowed(Terms terms) {
        return switch (this) {
            case LEAVE, TOLD, REFUSED -> TELLING;
            case CLOSE, TERMINATE -> terms.grace().plus(TELLING);
            case SILENCE -> noticed(terms).plus(terms.grace()).plus(TELLING);
            case KILL -> terms.lease().plus(AFTER_LEASE);
            case IDLE -> terms.ttl().plus(terms.sweep()).plus(TELLING);
        };
    }

    /** When the server knows at the latest that something happened. */
    Duration noticed(Terms terms) {
        return switch (this) {
            case SILENCE -> terms.pingInterval().plus(terms.pingTimeout());
            case IDLE -> terms.ttl();
            default -> Duration.ZERO;
        };
    }

    /** How long the user must still be in, so that coming back is not seen by anybody. */
    Duration stays(Terms terms) {
        return switch (this) {
            case LEAVE, TOLD, REFUSED -> Duration.ZERO;
            case CLOSE, TERMINATE -> terms.grace();
            case SILENCE -> terms.pingTimeout().dividedBy(2).plus(terms.grace());
            case KILL -> terms.lease().multipliedBy(2).dividedBy(3);
            case IDLE -> terms.ttl().minus(terms.heartbeat());
        };
    }
}
