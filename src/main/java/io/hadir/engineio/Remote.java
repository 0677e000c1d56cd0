package io.hadir.engineio;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a session comes from.
 *
 * @param address the peer of its first connection
 * @param origin the web page's origin, null if the client sent none
 */
public record Remote(InetSocketAddress address, @Nullable String origin) {}
