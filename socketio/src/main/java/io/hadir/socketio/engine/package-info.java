/** Engine.IO 4: packets, codec, sessions, and the polling and WebSocket transports. Knows nothing of Socket.IO. */
@NullMarked
package io.hadir.socketio.engine;

import org.jspecify.annotations.NullMarked;
