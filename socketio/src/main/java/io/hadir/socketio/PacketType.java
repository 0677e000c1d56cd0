package io.hadir.socketio;

import org.jspecify.annotations.Nullable;

/** The types of Socket.IO packets, and their digits on the wire. */
enum PacketType {
    CONNECT('0'),
    DISCONNECT('1'),
    EVENT('2'),
    ACK('3'),
    CONNECT_ERROR('4'),
    BINARY_EVENT('5'),
    BINARY_ACK('6');

    private static final PacketType[] ALL = values();

    final char digit;

    PacketType(char digit) {
        this.digit = digit;
    }

    /** The type of this digit, null if there is none. */
    static @Nullable PacketType of(int digit) {
        int index = digit - '0';
        return index >= 0 && index < ALL.length ? ALL[index] : null;
    }

    boolean isEvent() {
        return this == EVENT || this == BINARY_EVENT;
    }

    /** Whether attachments follow, in messages of their own. */
    boolean isBinary() {
        return this == BINARY_EVENT || this == BINARY_ACK;
    }
}
