/** Socket.IO 5 over Engine.IO: packets, codec, sockets and local groups; and the one place where events meet presence. */
@NullMarked
package io.hadir.socketio;

import org.jspecify.annotations.NullMarked;
