/**
 * Who is in which room: the rules, with no Socket.IO and no Redis in them.
 *
 * <p>Start with {@link io.hadir.presence.Presence}. What it needs of the world are the ports {@link
 * io.hadir.presence.PresenceStore}, {@link io.hadir.presence.RoomFeed}, {@link io.hadir.presence.sweep.PresenceScan}, {@link
 * io.hadir.presence.sweep.Nodes}, {@link io.hadir.presence.Clients}, {@link io.hadir.presence.UserListener} and {@link
 * io.hadir.presence.room.Loop}.
 */
@NullMarked
package io.hadir.presence;

import org.jspecify.annotations.NullMarked;
