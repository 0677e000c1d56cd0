package io.hadir.presence.user;

import java.time.Duration;

/**
 * How long the store keeps the state of users.
 *
 * @param online how long a user counts as online without a renewal
 * @param renewal how often a node renews its users
 * @param rooms how long to keep the hint that a user is in a room after their socket there is gone; longer than the
 *     grace period and {@code renewal}
 * @param socketsPerUser sockets that a user may have on all nodes together
 */
public record UserSettings(Duration online, Duration renewal, Duration rooms, int socketsPerUser) {
    private static final Duration ONLINE = Duration.ofSeconds(90);
    private static final Duration RENEWAL = Duration.ofSeconds(30);

    /** How long a socket counts in the store that its node does not report again. */
    public Duration recorded() {
        return online.multipliedBy(10);
    }

    /** How often a node reports its sockets again, and says again whom they watch. */
    public Duration report() {
        return recorded().dividedBy(3);
    }

    /** How long a node hears about a user whom it watches without saying so again. */
    public Duration watched() {
        return recorded();
    }

    public static UserSettings of(Duration grace, int socketsPerUser) {
        return new UserSettings(ONLINE, RENEWAL, RENEWAL.plus(grace.multipliedBy(2)), socketsPerUser);
    }
}
