package io.hadir.presence.room;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a user is listed.
 *
 * @param socket the socket that the presence names, null if it names none
 * @param left how long the presence lives unless it is renewed, null if it does not expire
 * @param inGrace whether the user's last socket disconnected, so that only the grace period keeps them
 * @param held whether the user is held as away: their last socket was paused and fell silent
 */
public record Hold(@Nullable SocketId socket, @Nullable Duration left, boolean inGrace, boolean held) {}
