package io.hadir.torture;

import java.time.Duration;

/**
 * How a socket's claim to a seat ended.
 *
 * @param certain whether the claim certainly held the seat until then
 * @param node the server that must act on it
 */
record Departure(Cause cause, long at, boolean certain, int node) {
    /** By when the user must be out, if nothing is broken. */
    long outBy(ServerSettings settings) {
        return at + cause.allowed(settings).toNanos();
    }

    Departure uncertain() {
        return new Departure(cause, at, false, node);
    }

    /** Why a claim ended, and how much time the contract gives for it. */
    enum Cause {
        LEAVE("leave"),
        CLOSE("close"),
        SILENCE("silence"),
        KILL("kill -9"),
        TERMINATE("SIGTERM"),
        IDLE("no heartbeat"),
        /** The server told the client that they are out. */
        TOLD("removed"),
        /** The server refused the join. */
        REFUSED("join refused");

        /** How long the others may wait to be told, in every case. */
        static final Duration ANNOUNCING = Duration.ofSeconds(1);
        /** How long the users of a dead server may stay after its lease expired. */
        static final Duration AFTER_LEASE = Duration.ofSeconds(5);

        private final String words;

        Cause(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        /** The longest time from the event until the user is out and everybody knows. */
        Duration allowed(ServerSettings settings) {
            return switch (this) {
                case LEAVE, TOLD, REFUSED -> ANNOUNCING;
                case CLOSE, TERMINATE -> settings.grace().plus(ANNOUNCING);
                case SILENCE -> noticed(settings).plus(settings.grace()).plus(ANNOUNCING);
                case KILL -> settings.lease().plus(AFTER_LEASE);
                case IDLE -> settings.ttl().plus(settings.sweep()).plus(ANNOUNCING);
            };
        }

        /** The longest time from the event until the server knows about it. */
        Duration noticed(ServerSettings settings) {
            return switch (this) {
                case SILENCE -> settings.pingInterval().plus(settings.pingTimeout());
                case IDLE -> settings.ttl();
                default -> Duration.ZERO;
            };
        }

        /** How long the user must stay in after the event, so that others do not see a quick return. */
        Duration stays(ServerSettings settings) {
            return switch (this) {
                case LEAVE, TOLD, REFUSED -> Duration.ZERO;
                case CLOSE, TERMINATE -> settings.grace();
                case SILENCE -> settings.pingTimeout().dividedBy(2).plus(settings.grace());
                case KILL -> settings.lease().multipliedBy(2).dividedBy(3);
                case IDLE -> settings.ttl().minus(settings.heartbeat());
            };
        }
    }
}
