/**
 * The JSON that Socket.IO events and HTTP calls share: {@link io.hadir.server.wire.Payload} reads what clients send,
 * {@link io.hadir.server.wire.ParticipantsJson} and {@link io.hadir.server.wire.ErrorJson} are written in answers. Uses
 * only the values of {@code presence.room}.
 */
@NullMarked
package io.hadir.server.wire;

import org.jspecify.annotations.NullMarked;
