package io.hadir.socketio.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Whether an address can be decoded to one text only: ASCII, in which what is percent-encoded is UTF-8. */
final class PercentEncoding {
    private PercentEncoding() {}

    /** Refuses anything else with an {@link IllegalArgumentException}, so that two addresses never mean one id. */
    static void check(String uri) {
        ByteBuffer bytes = ByteBuffer.allocate(uri.length());
        boolean encoded = false;
        for (int i = 0; i < uri.length(); i++) {
            char c = uri.charAt(i);
            if (c > '~') {
                throw new IllegalArgumentException("not ASCII");
            }
            if (c == '%') {
                encoded = true;
                int high = i + 2 < uri.length() ? Character.digit(uri.charAt(i + 1), 16) : -1;
                int low = i + 2 < uri.length() ? Character.digit(uri.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw new IllegalArgumentException("not percent-encoded");
                }
                bytes.put((byte) (high << 4 | low));
                i += 2;
            } else {
                bytes.put((byte) c);
            }
        }
        if (!encoded) {
            return;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(bytes.flip());
        } catch (CharacterCodingException notUtf8) {
            throw new IllegalArgumentException("not UTF-8", notUtf8);
        }
    }
}
