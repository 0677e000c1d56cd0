/**
 * Who is in which room: the life of a presence on one node, without Socket.IO and Redis.
 *
 * <p>Start with {@link io.hadir.presence.Presence}. Its ports are {@link io.hadir.presence.Stores}, {@link
 * io.hadir.presence.BanStore}, {@link io.hadir.presence.RoomFeed}, {@link io.hadir.presence.Clients}, {@link
 * io.hadir.presence.UserListener} and {@link io.hadir.presence.room.Loop}. It uses the values of {@code
 * io.hadir.presence.room} only.
 */
@NullMarked
package io.hadir.presence;

import org.jspecify.annotations.NullMarked;
