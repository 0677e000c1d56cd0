/**
 * Engine.IO 4: packets, sessions, and the polling and WebSocket transports. Depends on Netty, {@code http} and
 * {@code limit}; knows nothing about Socket.IO.
 *
 * <p>Start with {@link io.hadir.socketio.engine.Session}, whose {@code Mailbox} makes it single-threaded.
 * {@code EngineHttp} is where requests enter, {@link io.hadir.socketio.engine.Frames} is what leaves.
 */
@NullMarked
package io.hadir.socketio.engine;

import org.jspecify.annotations.NullMarked;
