package io.hadir.socketio.engine;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a session comes from.
 *
 * @param address the client's at its first request
 * @param origin the web page's origin, null if the client sent none
 */
public record Remote(InetAddress address, @Nullable String origin) {}
