package io.hadir.socketio.engine;

import org.jspecify.annotations.Nullable;

/** The types of Engine.IO packets, and their digits on the wire. */
enum PacketType {
    OPEN('0'),
    CLOSE('1'),
    PING('2'),
    PONG('3'),
    MESSAGE('4'),
    UPGRADE('5'),
    NOOP('6');

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
}
