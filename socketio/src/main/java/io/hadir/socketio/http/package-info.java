/** The HTTP server that Engine.IO lives on: connections, requests within limits and deadlines, routes. */
@NullMarked
package io.hadir.socketio.http;

import org.jspecify.annotations.NullMarked;
