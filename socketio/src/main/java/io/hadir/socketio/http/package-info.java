/**
 * The HTTP server under Engine.IO: connections, requests within limits and deadlines, routes. Depends on Netty and
 * {@code limit}; knows nothing about Engine.IO.
 *
 * <p>Start with {@link io.hadir.socketio.http.HttpServer}, then follow one request through {@code HttpConnection},
 * {@link io.hadir.socketio.http.Router} and {@link io.hadir.socketio.http.Exchange}.
 */
@NullMarked
package io.hadir.socketio.http;

import org.jspecify.annotations.NullMarked;
