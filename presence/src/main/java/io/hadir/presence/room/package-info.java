/**
 * The values of the domain: ids, seats, participants, changes, answers and errors. Start with {@link
 * io.hadir.presence.room.Seat} and {@link io.hadir.presence.room.RoomChange}. Depends on no other package.
 */
@NullMarked
package io.hadir.presence.room;

import org.jspecify.annotations.NullMarked;
