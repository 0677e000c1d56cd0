/**
 * Settings from flags, environment variables and a file. All problems are reported at once. Uses the URL and TLS types
 * of {@code redis.link} and the settings of {@code socketio.engine}. Start reading at {@link
 * io.hadir.server.config.Config}, then the table in {@code Settings}.
 */
@NullMarked
package io.hadir.server.config;

import org.jspecify.annotations.NullMarked;
