package io.hadir.torture;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Forwards what Redis sends, reply by reply, except for the messages that are to be lost. */
final class RedisMessageFilter extends ByteToMessageDecoder {
    private static final Set<String> MESSAGE = Set.of("message", "smessage");
    private static final int INCOMPLETE = -1;

    private final Predicate<String> loses;

    /**
     * @param loses whether to lose a message, by the name of its channel
     */
    RedisMessageFilter(Predicate<String> loses) {
        this.loses = loses;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        int from = in.readerIndex();
        int end = end(in, from);
        if (end == INCOMPLETE) {
            return;
        }
        if (isMessage(in, from) && loses.test(bulk(in, end(in, afterLine(in, from))))) {
            in.readerIndex(end);
        } else {
            out.add(in.readRetainedSlice(end - from));
        }
    }

    /** Whether a complete reply is a message: a RESP3 push or RESP2 array of three whose first element says so. */
    private static boolean isMessage(ByteBuf in, int from) {
        byte type = in.getByte(from);
        if ((type != '>' && type != '*') || number(in, from) != 3) {
            return false;
        }
        int first = afterLine(in, from);
        return in.getByte(first) == '$' && MESSAGE.contains(bulk(in, first));
    }

    /** Where the reply that begins here ends. */
    private static int end(ByteBuf in, int from) {
        int next = afterLine(in, from);
        if (next == INCOMPLETE) {
            return INCOMPLETE;
        }
        return switch (in.getByte(from)) {
            case '$', '=', '!' -> {
                long length = number(in, from);
                long end = length < 0 ? next : next + length + 2;
                yield end <= in.writerIndex() ? (int) end : INCOMPLETE;
            }
            case '*', '~', '>' -> end(in, next, number(in, from));
            case '%' -> end(in, next, 2 * number(in, from));
            case '|' -> end(in, next, 2 * number(in, from) + 1);
            default -> next;
        };
    }

    private static int end(ByteBuf in, int from, long replies) {
        int next = from;
        for (long i = 0; i < replies && next != INCOMPLETE; i++) {
            next = next < in.writerIndex() ? end(in, next) : INCOMPLETE;
        }
        return next;
    }

    private static int afterLine(ByteBuf in, int from) {
        int lineFeed = in.indexOf(from, in.writerIndex(), (byte) '\n');
        return lineFeed < 0 ? INCOMPLETE : lineFeed + 1;
    }

    private static long number(ByteBuf in, int from) {
        int end = afterLine(in, from) - 2;
        return Long.parseLong(in.toString(from + 1, end - from - 1, StandardCharsets.US_ASCII));
    }

    private static String bulk(ByteBuf in, int from) {
        return in.toString(afterLine(in, from), (int) number(in, from), StandardCharsets.UTF_8);
    }
}
