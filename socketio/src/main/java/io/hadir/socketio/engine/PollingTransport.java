package io.hadir.socketio.engine;

import io.hadir.socketio.http.Exchange;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** HTTP long-polling: frames wait here until the client polls. */
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

    /** Answers a poll at once if frames are waiting, else keeps it open. */
    void poll(Exchange exchange) {
        poll = exchange;
        if (known) {
            exchange.slot().markKnown();
        }
        flush();
    }

    @Override
    public void setKnown(boolean known) {
        this.known = known;
        if (poll != null && known) {
            poll.slot().markKnown();
        } else if (poll != null) {
            poll.slot().markStranger();
        }
    }

    /** Removes and returns the open poll. */
    @Nullable
    Exchange takePoll() {
        Exchange open = poll;
        poll = null;
        return open;
    }

    @Override
    public void send(ByteBuf frame) {
        waiting.add(frame);
        waitingBytes += frame.readableBytes();
    }

    /**
     * Answers the open poll, if any, with all waiting frames. The goodbye waits for the next poll, because clients act
     * on a close at once but on the packets before it only later.
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
        ByteBuf body = EnginePacket.encodePayload(poll.channel().alloc(), waiting);
        discard();
        Exchange exchange = poll;
        poll = null;
        exchange.respond(HttpResponseStatus.OK, EngineHttp.TEXT, body);
    }

    /** Hands the waiting frames to another transport. */
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
        // A client that closed by itself does not expect a CLOSE, only the answer to its open poll.
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
