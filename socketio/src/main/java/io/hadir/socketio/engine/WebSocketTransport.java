package io.hadir.socketio.engine;

import io.hadir.socketio.http.WebSocketHandshake;
import io.hadir.socketio.limit.Slots;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket: the last handler of its pipeline and the transport of its session. It carries a session from the start,
 * or it is offered to a polling session and takes over once the client has probed it.
 */
final class WebSocketTransport extends ChannelInboundHandlerAdapter implements Transport {
    /** How long a client may take to receive the close frame before its connection is closed anyway. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    /** Caps the number of tiny fragments, which cost the server more than the client. */
    private static final int MAX_FRAGMENTS = 1_000;

    private enum Phase {
        /** Offered to a polling session: only a probe and then an upgrade may come. */
        OFFERED,
        /** Carries its session. */
        CARRYING,
        /** Ignores all further input. */
        ENDED
    }

    private final Channel channel;
    private final Engine engine;
    private final InetAddress client;
    private final Slots.Slot slot;
    private final IgnoredLimit ignored = new IgnoredLimit();
    private @Nullable Session session;
    private Phase phase;
    private @Nullable CompositeByteBuf partial;
    private boolean partialIsBinary;
    private boolean reading;
    private boolean flushHeld;
    /** The last frame since the flush, kept back because {@link DirectSend} can take it if it stays the only one. */
    private @Nullable ByteBuf last;

    /**
     * @param slot the connection's slot
     * @param session the session to upgrade, null to open a new one
     */
    WebSocketTransport(Channel channel, Engine engine, InetAddress client, Slots.Slot slot, @Nullable Session session) {
        this.channel = channel;
        this.engine = engine;
        this.slot = slot;
        this.client = client;
        this.session = session;
        this.phase = session == null ? Phase.CARRYING : Phase.OFFERED;
    }

    EventLoop loop() {
        return channel.eventLoop();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event != WebSocketHandshake.Opened.INSTANCE) {
            context.fireUserEventTriggered(event);
        } else if (session == null) {
            open();
        } else {
            session.offered(this);
            channel.eventLoop()
                    .schedule(
                            this::giveUpOffer, engine.config().upgradeTimeout().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void open() {
        Session opened = engine.open(client, this, loop());
        if (opened == null) {
            abort();
            return;
        }
        session = opened;
        send(Frames.text(channel.alloc(), engine.openPacket(opened, false)));
        flush();
    }

    private void giveUpOffer() {
        if (phase == Phase.OFFERED) {
            abort();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        reading = true;
        try {
            if (phase == Phase.ENDED || session == null) {
                return;
            }
            if (!(message instanceof WebSocketFrame frame)) {
                end(session, CloseReason.PARSE_ERROR, WebSocketCloseStatus.PROTOCOL_ERROR);
            } else if (frame instanceof CloseWebSocketFrame) {
                end(session, CloseReason.TRANSPORT_CLOSE, WebSocketCloseStatus.NORMAL_CLOSURE);
            } else if (isFlood(frame)) {
                engine.countFlood();
                end(session, CloseReason.SERVER_CLOSE, WebSocketCloseStatus.POLICY_VIOLATION);
            } else if (frame instanceof PingWebSocketFrame) {
                channel.writeAndFlush(new PongWebSocketFrame(frame.content().retain()), channel.voidPromise());
                if (isOverflowing()) {
                    end(session, CloseReason.SEND_BUFFER_FULL, WebSocketCloseStatus.POLICY_VIOLATION);
                }
            } else if (!(frame instanceof PongWebSocketFrame)) {
                data(session, frame);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private boolean isFlood(WebSocketFrame frame) {
        return (frame instanceof PingWebSocketFrame || frame instanceof PongWebSocketFrame) && !ignored.allows();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        if (flushHeld) {
            flushHeld = false;
            flush();
        }
    }

    private void data(Session session, WebSocketFrame frame) {
        if (frame instanceof ContinuationWebSocketFrame || !frame.isFinalFragment()) {
            assemble(session, frame);
        } else {
            message(session, frame instanceof BinaryWebSocketFrame, frame.content());
        }
    }

    private void assemble(Session session, WebSocketFrame frame) {
        if (partial == null) {
            partial = channel.alloc().compositeBuffer(Integer.MAX_VALUE);
            partialIsBinary = frame instanceof BinaryWebSocketFrame;
        }
        CompositeByteBuf whole = partial;
        if (whole.readableBytes() + frame.content().readableBytes()
                        > engine.config().maxPayloadBytes()
                || whole.numComponents() >= MAX_FRAGMENTS) {
            end(session, CloseReason.TRANSPORT_ERROR, WebSocketCloseStatus.MESSAGE_TOO_BIG);
            return;
        }
        whole.addComponent(true, frame.content().retain());
        if (frame.isFinalFragment()) {
            partial = null;
            try {
                message(session, partialIsBinary, whole);
            } finally {
                whole.release();
            }
        }
    }

    private void message(Session session, boolean binary, ByteBuf content) {
        if (!binary && !EnginePacket.isUtf8(content)) {
            end(session, CloseReason.PARSE_ERROR, WebSocketCloseStatus.INVALID_PAYLOAD_DATA);
        } else if (phase == Phase.CARRYING) {
            session.received(this, binary, content);
        } else {
            upgradePacket(session, binary ? "" : content.toString(StandardCharsets.UTF_8));
        }
    }

    private void upgradePacket(Session session, String packet) {
        if (packet.equals("2probe")) {
            session.probed(this);
        } else if (packet.equals("5")) {
            phase = Phase.CARRYING;
            session.upgraded(this);
        } else {
            end(session, CloseReason.PARSE_ERROR, WebSocketCloseStatus.POLICY_VIOLATION);
        }
    }

    @Override
    public void send(ByteBuf frame) {
        if (!channel.isActive()) {
            frame.release();
        } else if (loop().inEventLoop()) {
            queueLast();
            last = frame;
        } else {
            out().write(frame.duplicate(), channel.voidPromise());
        }
    }

    @Override
    public void flush() {
        if (!loop().inEventLoop()) {
            out().flush();
        } else if (reading) {
            // The answers to everything read at once leave by one system call.
            flushHeld = true;
        } else if (last == null) {
            out().flush();
        } else {
            ByteBuf rest = DirectSend.send(channel, last);
            last = null;
            if (rest != null) {
                out().writeAndFlush(rest, channel.voidPromise());
            }
        }
    }

    private void queueLast() {
        if (last != null) {
            out().write(last.duplicate(), channel.voidPromise());
            last = null;
        }
    }

    /** Where encoded frames skip the other handlers. The channel itself, once its pipeline is empty. */
    private ChannelOutboundInvoker out() {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        return first == null ? channel : first;
    }

    @Override
    public boolean isOverflowing() {
        if (channel.isWritable()) {
            return false;
        }
        queueLast();
        channel.flush();
        return !channel.isWritable();
    }

    @Override
    public void setKnown(boolean known) {
        if (known) {
            slot.markKnown();
        } else {
            slot.markStranger();
        }
    }

    @Override
    public void close(CloseReason reason) {
        sendClose(
                reason == CloseReason.SHUTTING_DOWN
                        ? WebSocketCloseStatus.ENDPOINT_UNAVAILABLE
                        : WebSocketCloseStatus.NORMAL_CLOSURE);
    }

    @Override
    public void abort() {
        channel.close();
    }

    private void end(Session session, CloseReason reason, WebSocketCloseStatus status) {
        phase = Phase.ENDED;
        sendClose(status);
        session.transportEnded(this, reason);
    }

    private void sendClose(WebSocketCloseStatus status) {
        if (loop().inEventLoop()) {
            queueLast();
        }
        ChannelFuture sent = channel.writeAndFlush(new CloseWebSocketFrame(status));
        sent.addListener(ChannelFutureListener.CLOSE);
        if (!sent.isDone()) {
            loop().schedule(() -> channel.close(), CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended(CloseReason.TRANSPORT_CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // For a broken frame the decoder has sent a close code and closes once that is written.
        if (!(cause instanceof CorruptedFrameException)) {
            context.close();
        }
        ended(cause instanceof CorruptedFrameException ? CloseReason.PARSE_ERROR : CloseReason.TRANSPORT_ERROR);
    }

    private void ended(CloseReason reason) {
        phase = Phase.ENDED;
        if (partial != null) {
            partial.release();
            partial = null;
        }
        if (last != null) {
            last.release();
            last = null;
        }
        if (session != null) {
            session.transportEnded(this, reason);
        }
    }
}
