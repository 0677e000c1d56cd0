package io.hadir.socketio.engine;

import io.hadir.socketio.http.Exchange;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** HTTP long-polling: frames wait here until the client comes to fetch them. */
final class PollingTransport implements Transport {
    private final int maxWaitingBytes;
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(2);
    private long waitingBytes;
    private @Nullable Exchange poll;
    private @Nullable ByteBuf goodbye;
    private boolean known;

    PollingTransport(int maxWaitingBytes) {
        this.maxWaitingBytes = maxWaitingBytes;
    }

    boolean isPolled() {
        return poll != null;
    }

    boolean isPolledBy(Exchange exchange) {
        return poll == exchange;
    }

    boolean isEmpty() {
        return waiting.isEmpty() && goodbye == null;
    }

    /** The client came to fetch: answers at once if something is waiting, else keeps the request. */
    void poll(Exchange exchange) {
        poll = exchange;
        if (known) {
            exchange.place().know();
        }
        flush();
    }

    @Override
    public void know(boolean now) {
        known = now;
        if (poll != null && now) {
            poll.place().know();
        } else if (poll != null) {
            poll.place().unknow();
        }
    }

    /** Forgets the open request, and returns it. */
    @Nullable
    Exchange dropPoll() {
        Exchange dropped = poll;
        poll = null;
        return dropped;
    }

    @Override
    public void send(ByteBuf frame) {
        waiting.add(frame);
        waitingBytes += frame.readableBytes();
    }

    /**
     * Answers the open request, if there is one, with all that is waiting. The goodbye goes alone, by the next one:
     * clients act on a close at once, but on the packets before it only later.
     */
    @Override
    public void flush() {
        if (waiting.isEmpty() && goodbye != null) {
            send(goodbye);
            goodbye = null;
        }
        if (poll == null || waiting.isEmpty()) {
            return;
        }
        ByteBuf body = PacketCodec.encodePayload(poll.channel().alloc(), waiting);
        discard();
        Exchange exchange = poll;
        poll = null;
        exchange.respond(HttpResponseStatus.OK, EngineHttp.TEXT, body);
    }

    /** Lets what is waiting go by another transport. */
    void drainTo(Transport other) {
        waiting.forEach(other::send);
        waiting.clear();
        waitingBytes = 0;
    }

    @Override
    public boolean isOverflowing() {
        return waitingBytes > maxWaitingBytes;
    }

    @Override
    public void close(CloseReason reason) {
        // A client that closed by itself only wants its open request back.
        goodbye = (reason == CloseReason.TRANSPORT_CLOSE ? Frames.NOOP : Frames.CLOSE).duplicate();
        flush();
    }

    @Override
    public void abort() {
        discard();
        goodbye = null;
        send(Frames.CLOSE.duplicate());
        flush();
        discard();
    }

    private void discard() {
        waiting.forEach(ByteBuf::release);
        waiting.clear();
        waitingBytes = 0;
    }
}
