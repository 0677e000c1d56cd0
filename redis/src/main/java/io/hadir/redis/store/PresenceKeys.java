package io.hadir.redis.store;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An answer of hints, kept as the presence keys they stand for, in the form in which a command sends keys. A large
 * room has so many that a string for each would cost more than to count them.
 */
final class PresenceKeys extends CommandOutput<String, String, PresenceKeys> {
    private final byte[] prefix;
    /** Each key as an argument on the wire: its length, a line end, the key, a line end. */
    private byte[] wire = new byte[4096];

    private int length;
    /** Where each key begins, without its length. */
    private int[] starts = new int[64];

    private int size;

    /** @param prefix of the room's presence keys in Redis */
    PresenceKeys(String prefix) {
        super(StringCodec.UTF8, null);
        this.prefix = prefix.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public PresenceKeys get() {
        return this;
    }

    int size() {
        return size;
    }

    @Override
    public void set(ByteBuffer name) {
        int key = prefix.length + name.remaining();
        byte[] digits = Integer.toString(key).getBytes(StandardCharsets.US_ASCII);
        int end = length + 1 + digits.length + 2 + key + 2;
        if (end > wire.length) {
            wire = Arrays.copyOf(wire, Math.max(end, 2 * wire.length));
        }
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, 2 * size);
        }
        wire[length++] = '$';
        put(digits);
        endLine();
        starts[size++] = length;
        put(prefix);
        int own = name.remaining();
        name.get(wire, length, own);
        length += own;
        endLine();
    }

    private void put(byte[] bytes) {
        System.arraycopy(bytes, 0, wire, length, bytes.length);
        length += bytes.length;
    }

    private void endLine() {
        wire[length++] = '\r';
        wire[length++] = '\n';
    }

    /** The name of a user as the index has it. */
    String name(int i) {
        int start = starts[i] + prefix.length;
        return new String(wire, start, end(i) - start, StandardCharsets.UTF_8);
    }

    List<String> names(int from, int to) {
        List<String> names = new ArrayList<>();
        for (int i = from; i < to; i++) {
            names.add(name(i));
        }
        return names;
    }

    private int end(int i) {
        return argument(i + 1) - 2;
    }

    /** Where the argument with this key begins. */
    private int argument(int i) {
        if (i == size) {
            return length;
        }
        int at = starts[i] - 1;
        while (wire[at] != '$') {
            at--;
        }
        return at;
    }

    /** Some of the keys as the arguments of a command. */
    CommandArgs<String, String> arguments(int from, int to) {
        int begin = argument(from);
        int bytes = argument(to) - begin;
        return new CommandArgs<>(StringCodec.UTF8) {
            @Override
            public int count() {
                return to - from;
            }

            @Override
            public ByteBuffer getFirstEncodedKey() {
                return ByteBuffer.wrap(wire, starts[from], end(from) - starts[from])
                        .slice();
            }

            @Override
            public void encode(ByteBuf target) {
                target.writeBytes(wire, begin, bytes);
            }

            @Override
            public String toCommandString() {
                return count() + " keys";
            }
        };
    }
}
