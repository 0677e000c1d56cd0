/**
 * Who is in which room: the life of a presence on one node, with no Socket.IO and no Redis in it.
 *
 * <p>Start with {@link io.hadir.presence.Presence}. What it needs of the world are the ports in {@link
 * io.hadir.presence.Stores}, {@link io.hadir.presence.RoomFeed}, {@link io.hadir.presence.Clients}, {@link
 * io.hadir.presence.UserListener} and {@link io.hadir.presence.room.Loop}.
 */
@NullMarked
package io.hadir.presence;

import org.jspecify.annotations.NullMarked;
