/** Maps Socket.IO events to presence. Start with {@link io.hadir.server.events.PresenceEvents}. */
@NullMarked
package io.hadir.server.events;

import org.jspecify.annotations.NullMarked;
