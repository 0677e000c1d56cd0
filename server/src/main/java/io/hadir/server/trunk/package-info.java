/**
 * The trunk: one WebSocket of an app process that carries the sockets of all its clients, see {@code docs/trunk.md}.
 * Start with {@link io.hadir.server.trunk.Trunk}. Uses {@code server.events}, which cannot tell these sockets from
 * others, and {@code socketio}.
 */
@NullMarked
package io.hadir.server.trunk;

import org.jspecify.annotations.NullMarked;
