/**
 * The HTTP routes: the API below {@code /api/v1}, health, metrics and web pages. Start with {@link
 * io.hadir.server.http.Api} and {@link io.hadir.server.http.RoomRoutes}: a route class reads each request from an
 * {@link io.hadir.server.http.ApiCall}, calls presence once, and answers with a record whose components are the JSON
 * fields, times in epoch milliseconds. Uses {@code presence}, {@code socketio}, and from this module {@code auth},
 * {@code limit}, {@code metrics} and {@code wire}.
 */
@NullMarked
package io.hadir.server.http;

import org.jspecify.annotations.NullMarked;
