/**
 * Limits on what one client may take: {@link io.hadir.socketio.limit.Slots} for connections and sessions,
 * {@link io.hadir.socketio.limit.TokenBucket} for events. Depends on the JDK only.
 */
@NullMarked
package io.hadir.socketio.limit;

import org.jspecify.annotations.NullMarked;
