package io.hadir.presence.user;

import java.time.Duration;

/**
 * How long the store keeps the state of users.
 *
 * @param online how long a user counts as online without a renewal
 * @param renewal how often a node renews its users
 * @param rooms how long to keep a hint that a user is in a room; longer than {@code online} and than the grace
 *     period
 * @param socketsPerUser sockets that a user may have on all nodes together
 */
public record UserSettings(Duration online, Duration renewal, Duration rooms, int socketsPerUser) {
    private static final Duration ONLINE = Duration.ofSeconds(90);
    private static final Duration RENEWAL = Duration.ofSeconds(30);

    public static UserSettings of(Duration grace, int socketsPerUser) {
        Duration rooms = ONLINE.plus(grace.multipliedBy(2));
        return new UserSettings(ONLINE, RENEWAL, rooms, socketsPerUser);
    }
}
