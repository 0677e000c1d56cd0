/**
 * Socket.IO 5 over Engine.IO 4: packets, codec, sockets and local groups. Knows nothing about presence.
 *
 * <p>Start with {@link io.hadir.socketio.SocketServer} and {@link io.hadir.socketio.SocketListener}.
 */
@NullMarked
package io.hadir.socketio;

import org.jspecify.annotations.NullMarked;
