package io.hadir.presence.user;

import io.hadir.presence.room.UserId;

/**
 * What a message meant for one of its recipients.
 *
 * @param unread the user's counter for that room now
 * @param shouldNotify whether the user is not looking at the room, so that somebody should say something
 */
public record Delivery(UserId user, long unread, boolean online, boolean shouldNotify) {}
