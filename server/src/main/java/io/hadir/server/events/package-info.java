/**
 * Maps Socket.IO events to presence, and presence's messages to Socket.IO events. Start with {@link
 * io.hadir.server.events.PresenceEvents}; {@link io.hadir.server.events.Gate} decides who may connect. Uses {@code
 * presence}, {@code socketio}, and from this module {@code auth}, {@code limit} and {@code wire}.
 */
@NullMarked
package io.hadir.server.events;

import org.jspecify.annotations.NullMarked;
