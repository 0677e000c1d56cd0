package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;

/**
 * An incoming packet.
 *
 * @param type its type; binary packets are always messages
 * @param binary whether its data are bytes rather than UTF-8 text
 * @param data what follows the type; shares the memory of what it was read from
 */
record Packet(PacketType type, boolean binary, ByteBuf data) {}
