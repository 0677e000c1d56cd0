package io.hadir.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** A WebSocket that sends any frames, valid or not. */
public final class RawWebSocket implements AutoCloseable {
    public static final int CONTINUATION = 0x0;
    public static final int TEXT = 0x1;
    public static final int BINARY = 0x2;
    public static final int CLOSE = 0x8;
    public static final int PING = 0x9;
    public static final int PONG = 0xA;
    public static final int FIN = 0x80;

    private static final byte[] MASK = {0x11, 0x22, 0x33, 0x44};

    private final RawConnection connection;

    /** A frame from the server. */
    @SuppressWarnings("ArrayRecordComponent") // no test compares frames
    public record Frame(int opcode, byte[] payload) {
        public String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }

        /** The code of a close frame, 1005 if it has none. */
        public int closeCode() {
            if (opcode != CLOSE) {
                throw new IllegalStateException("not a close frame: " + opcode + " " + text());
            }
            return payload.length < 2 ? 1005 : ByteBuffer.wrap(payload).getShort();
        }
    }

    /** The headers of a WebSocket handshake, and more. */
    public static String[] handshake(String... more) {
        Stream<String> usual = Stream.of(
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
        return Stream.concat(usual, Stream.of(more)).toArray(String[]::new);
    }

    private RawWebSocket(RawConnection connection) {
        this.connection = connection;
    }

    /** Opens a WebSocket at this target. */
    public static RawWebSocket open(int port, String target) throws IOException {
        return open(new RawConnection(port), target);
    }

    /** Opens a WebSocket with more headers. */
    public static RawWebSocket open(RawConnection connection, String target, String... headers) throws IOException {
        connection.get(target, handshake(headers));
        RawConnection.Response response = connection.head();
        if (response.status() != 101) {
            throw new IOException("no WebSocket: " + response.status());
        }
        return new RawWebSocket(connection);
    }

    public RawConnection connection() {
        return connection;
    }

    /** Sends text frames in one write, so the server cannot close between them. */
    public RawWebSocket send(String... texts) throws IOException {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (String text : texts) {
            frames.write(masked(FIN | TEXT, text.getBytes(StandardCharsets.UTF_8)));
        }
        connection.send(frames.toByteArray());
        return this;
    }

    public RawWebSocket send(byte[] binary) throws IOException {
        return frame(FIN | BINARY, binary);
    }

    /** Sends a masked frame; the first byte holds its opcode and flags. */
    public RawWebSocket frame(int firstByte, byte[] payload) throws IOException {
        connection.send(masked(firstByte, payload));
        return this;
    }

    public RawWebSocket frame(int firstByte, String payload) throws IOException {
        return frame(firstByte, payload.getBytes(StandardCharsets.UTF_8));
    }

    public static byte[] masked(int firstByte, byte[] payload) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(payload.length + 14);
        bytes.write(header(firstByte, 0x80, payload.length));
        bytes.write(MASK);
        for (int i = 0; i < payload.length; i++) {
            bytes.write(payload[i] ^ MASK[i % 4]);
        }
        return bytes.toByteArray();
    }

    /** The header of a frame without the masking key. */
    public static byte[] header(int firstByte, int maskBit, long length) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(firstByte);
        if (length < 126) {
            out.writeByte(maskBit | (int) length);
        } else if (length <= 0xFFFF) {
            out.writeByte(maskBit | 126);
            out.writeShort((int) length);
        } else {
            out.writeByte(maskBit | 127);
            out.writeLong(length);
        }
        return bytes.toByteArray();
    }

    /** Reads one frame. */
    public Frame next() throws IOException {
        int opcode = connection.read() & 0x0F;
        int length = connection.read();
        if (length == 126) {
            length = Short.toUnsignedInt(ByteBuffer.wrap(connection.read(2)).getShort());
        } else if (length == 127) {
            length = (int) ByteBuffer.wrap(connection.read(8)).getLong();
        }
        return new Frame(opcode, connection.read(length));
    }

    /** The next text that is not an Engine.IO ping. Answers pings. */
    public String text() throws IOException {
        while (true) {
            Frame frame = next();
            if (frame.opcode() != TEXT) {
                throw new IOException("not text but " + frame.opcode() + ": " + frame.text());
            }
            if (!frame.text().equals("2")) {
                return frame.text();
            }
            send("3");
        }
    }

    /** Reads up to the close frame and returns its code; 1006 if the server closes without one. */
    public int closeCode() throws IOException {
        try {
            Frame frame = next();
            while (frame.opcode() != CLOSE) {
                frame = next();
            }
            return frame.closeCode();
        } catch (EOFException e) {
            return 1006;
        }
    }

    public void reset() throws IOException {
        connection.reset();
    }

    /** Closes with FIN at once, even in the middle of a message. */
    public void hangUp() throws IOException {
        connection.hangUp();
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
