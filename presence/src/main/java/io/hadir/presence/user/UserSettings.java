package io.hadir.presence.user;

import java.time.Duration;

/**
 * How long what is known of a user counts.
 *
 * @param online how long a user counts as online without a renewal
 * @param renewal how often a node renews what it says about its users
 * @param rooms how long a hint is worth keeping that a user is in a room; longer than {@code online} and than a grace
 * @param socketsPerUser sockets that one user may have on all nodes together
 */
public record UserSettings(Duration online, Duration renewal, Duration rooms, int socketsPerUser) {
    private static final Duration ONLINE = Duration.ofSeconds(90);
    private static final Duration RENEWAL = Duration.ofSeconds(30);

    public static UserSettings of(Duration grace, int socketsPerUser) {
        Duration rooms = ONLINE.plus(grace.multipliedBy(2));
        return new UserSettings(ONLINE, RENEWAL, rooms, socketsPerUser);
    }
}
