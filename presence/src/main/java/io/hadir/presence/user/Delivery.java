package io.hadir.presence.user;

import io.hadir.presence.room.UserId;

/**
 * The result of a message for one of its recipients.
 *
 * @param unread the user's unread counter of the room, with this message
 * @param shouldNotify whether the user does not focus the room, so a notification makes sense
 */
public record Delivery(UserId user, long unread, boolean online, boolean shouldNotify) {}
