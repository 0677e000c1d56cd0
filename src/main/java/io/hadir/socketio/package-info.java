/** Socket.IO 5 over Engine.IO: packets, codec, sockets and local groups. Knows nothing of presence. */
@NullMarked
package io.hadir.socketio;

import org.jspecify.annotations.NullMarked;
