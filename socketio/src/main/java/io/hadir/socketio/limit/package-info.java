/** Limits on what one client may take: connections and events. */
@NullMarked
package io.hadir.socketio.limit;

import org.jspecify.annotations.NullMarked;
