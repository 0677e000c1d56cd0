package io.hadir.socketio;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An incoming Socket.IO packet, well-formed for its type.
 *
 * @param type any type but CONNECT_ERROR
 * @param namespace {@code /} if the client named none
 * @param id the acknowledgement's id, {@link #NO_ID} if there is none
 * @param data an object for CONNECT; an array for acknowledgements and, starting with the name, for events; else
 *     missing
 * @param attachments how many binary messages follow
 */
record Packet(Type type, String namespace, long id, JsonNode data, int attachments) {
    static final long NO_ID = -1;

    /** The types of packets and their digits on the wire. */
    enum Type {
        CONNECT('0'),
        DISCONNECT('1'),
        EVENT('2'),
        ACK('3'),
        CONNECT_ERROR('4'),
        BINARY_EVENT('5'),
        BINARY_ACK('6');

        private static final Type[] ALL = values();

        final char digit;

        Type(char digit) {
            this.digit = digit;
        }

        static @Nullable Type of(int digit) {
            int index = digit - '0';
            return index >= 0 && index < ALL.length ? ALL[index] : null;
        }

        boolean isEvent() {
            return this == EVENT || this == BINARY_EVENT;
        }

        /** Whether attachments follow in messages of their own. */
        boolean isBinary() {
            return this == BINARY_EVENT || this == BINARY_ACK;
        }
    }
}
