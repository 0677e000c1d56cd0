/**
 * Socket.IO 5: packets, sockets, namespaces and local groups. Depends on Netty, Jackson, {@code engine} and
 * {@code limit}; knows nothing about what applications do with it.
 *
 * <p>Start with {@link io.hadir.socketio.SocketServer} and {@link io.hadir.socketio.SocketListener}. {@code Connection}
 * is where messages arrive, {@link io.hadir.socketio.Namespace#broadcast} is where most of them leave.
 */
@NullMarked
package io.hadir.socketio;

import org.jspecify.annotations.NullMarked;
