/**
 * Rate limits per user and per address. Uses only {@code socketio.limit}. Start reading at {@link
 * io.hadir.server.limit.Buckets}.
 */
@NullMarked
package io.hadir.server.limit;

import org.jspecify.annotations.NullMarked;
