/** Engine.IO 4: packets, codec, sessions, and the polling and WebSocket transports. Knows nothing of Socket.IO. */
@NullMarked
package io.hadir.engineio;

import org.jspecify.annotations.NullMarked;
