package io.hadir.presence.room;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a user is listed.
 *
 * @param socket what the presence names, null if it names nothing
 * @param left how long the presence lives on unless it is renewed, null if it has no end
 */
public record Hold(@Nullable SocketId socket, @Nullable Duration left) {}
