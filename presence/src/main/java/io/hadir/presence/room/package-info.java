/** The values of the domain: ids, seats, participants, changes, answers and errors. Depends on nothing. */
@NullMarked
package io.hadir.presence.room;

import org.jspecify.annotations.NullMarked;
