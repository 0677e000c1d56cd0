package io.hadir.socketio.engine;

import io.hadir.socketio.http.Exchange;
import io.hadir.socketio.limit.Slots;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Engine.IO session: one client, on polling or WebSocket. Its state belongs to its mailbox. Methods are safe for
 * any thread and post a task, unless they say otherwise.
 */
public final class Session extends Mailbox {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    /** How long a poll is held during an upgrade, which most likely completes meanwhile. */
    private static final Duration HELD_POLL = Duration.ofMillis(100);
    /** How long a closed polling session waits for the poll that tells the client. */
    private static final Duration LINGER = Duration.ofSeconds(5);

    private static final Object PING = new Object();
    private static final Object CHECK_PONG = new Object();

    private final Engine engine;
    private final String id;
    private final SessionHandler handler;
    private final Liveness liveness = new Liveness(System.nanoTime());
    private final IgnoredLimit ignored = new IgnoredLimit();
    private final Slots.Slot slot;
    private Transport transport;
    private @Nullable WebSocketTransport offer;
    private boolean probed;
    private boolean known;
    private @Nullable AtomicInteger strangers;
    private boolean closed;
    private boolean unsent;

    // The session's position in the ping wheel, which owns these fields.
    int wheelSlice;
    int wheelIndex;

    Session(Engine engine, String id, Transport transport, EventLoop home, Slots.Slot slot) {
        super(home);
        this.engine = engine;
        this.id = id;
        this.transport = transport;
        this.slot = slot;
        this.handler = engine.newHandler(this);
    }

    String id() {
        return id;
    }

    /** Sends a frame made by {@link Frames} and takes ownership of it. */
    public void send(ByteBuf frame) {
        post(frame);
    }

    /** Sends frames in a row and takes ownership of them. */
    public void send(List<ByteBuf> frames) {
        post(frames.size() == 1 ? frames.get(0) : (Runnable) () -> frames.forEach(this::sendNow));
    }

    /**
     * Sends frames that other sessions send too. The caller keeps its reference; returns as {@link Mailbox#enqueue}.
     */
    boolean enqueueShared(List<ByteBuf> frames) {
        frames.forEach(ByteBuf::retain);
        return enqueue(frames.size() == 1 ? frames.get(0) : (Runnable) () -> frames.forEach(this::sendNow));
    }

    /** Runs a task between the handler's calls, never at the same time. */
    public void execute(Runnable task) {
        post(task);
    }

    /** Runs a task like {@link #execute} after a delay, unless the session has ended by then. */
    public Future<?> schedule(Runnable task, Duration delay) {
        Runnable unlessClosed = () -> {
            if (!closed) {
                task.run();
            }
        };
        return home().schedule(() -> post(unlessClosed), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends the session after everything sent so far, and tells the client. */
    public void close(CloseReason reason) {
        post((Runnable) () -> finish(reason, true));
    }

    /**
     * Protects the session from newcomers; false if one has pushed it out before. For the handler's calls and tasks
     * only.
     */
    public boolean markKnown() {
        known = slot.markKnown();
        stopCounting();
        transport.setKnown(known);
        return known;
    }

    /** Undoes {@link #markKnown}. For the handler's calls and tasks only. */
    public void markStranger() {
        known = false;
        slot.markStranger();
        transport.setKnown(false);
    }

    /** Counts the new session among the strangers of its connection until it is known or ends. */
    void countIn(AtomicInteger strangers) {
        strangers.incrementAndGet();
        this.strangers = strangers;
    }

    private void stopCounting() {
        if (strangers != null) {
            strangers.decrementAndGet();
            strangers = null;
        }
    }

    /** Ends a stranger's session without telling the client, so that nothing lingers. */
    void pushOut() {
        post((Runnable) () -> finish(CloseReason.SERVER_CLOSE, false));
    }

    @Override
    void handle(Object task) {
        if (task instanceof ByteBuf frame) {
            sendNow(frame);
        } else if (task == PING) {
            ping();
        } else if (task == CHECK_PONG) {
            checkPong();
        } else {
            ((Runnable) task).run();
        }
    }

    /** Flushes once for all that the tasks have sent. */
    @Override
    void settled() {
        if (unsent) {
            unsent = false;
            transport.flush();
        }
    }

    @Override
    void failed(Throwable failure) {
        LOG.error("A session failed and will be closed", failure);
        engine.forget(this);
        post((Runnable) () -> finish(CloseReason.TRANSPORT_ERROR, false));
    }

    private void sendNow(ByteBuf frame) {
        if (closed) {
            frame.release();
            return;
        }
        transport.send(frame);
        unsent = true;
        if (transport.isOverflowing()) {
            post((Runnable) () -> finish(CloseReason.SEND_BUFFER_FULL, false));
        }
    }

    // Pings

    /** Queues a ping; returns as {@link Mailbox#enqueue}. */
    boolean enqueuePing() {
        return enqueue(PING);
    }

    /** Queues a check whether the client has answered its ping; returns as {@link Mailbox#enqueue}. */
    boolean enqueuePongCheck() {
        return enqueue(CHECK_PONG);
    }

    private void ping() {
        if (!closed && liveness.ping(System.nanoTime())) {
            sendNow(Frames.PING.duplicate());
        }
    }

    private void checkPong() {
        long remaining = liveness.remaining(System.nanoTime(), engine.wheel().patienceNanos());
        if (remaining <= 0) {
            finish(CloseReason.PING_TIMEOUT, false);
        } else if (remaining != Long.MAX_VALUE) {
            schedule(this::checkPong, Duration.ofNanos(remaining));
        }
    }

    // Incoming packets

    /** Handles a message from a WebSocket, in this call if it can. The caller keeps the message. */
    void received(WebSocketTransport from, boolean binary, ByteBuf message) {
        if (!enter()) {
            ByteBuf kept = message.retain();
            post((Runnable) () -> {
                try {
                    receive(from, binary, kept);
                } finally {
                    kept.release();
                }
            });
            return;
        }
        try {
            receive(from, binary, message);
        } catch (Throwable failure) {
            failed(failure);
        } finally {
            exit();
        }
    }

    private void receive(WebSocketTransport from, boolean binary, ByteBuf message) {
        if (from == transport) {
            receive(
                    binary
                            ? new EnginePacket(EnginePacket.Type.MESSAGE, true, message)
                            : EnginePacket.decodeText(message));
        }
    }

    private void receive(@Nullable EnginePacket packet) {
        if (closed) {
            return;
        }
        if (packet == null) {
            finish(CloseReason.PARSE_ERROR, false);
            return;
        }
        switch (packet.type()) {
            case MESSAGE -> {
                if (packet.binary()) {
                    handler.binary(packet.data());
                } else {
                    handler.text(packet.data());
                }
            }
            case PONG -> {
                if (!liveness.pong(System.nanoTime())) {
                    countIgnored();
                }
            }
            case NOOP -> countIgnored();
            case CLOSE -> finish(CloseReason.TRANSPORT_CLOSE, true);
            case OPEN, PING, UPGRADE -> finish(CloseReason.PARSE_ERROR, false);
        }
    }

    private void countIgnored() {
        if (!ignored.allows()) {
            engine.countFlood();
            finish(CloseReason.SERVER_CLOSE, false);
        }
    }

    /** Handles a polling body. The caller keeps it. */
    void posted(Exchange exchange) {
        ByteBuf body = exchange.body().retain();
        post((Runnable) () -> {
            try {
                receivePost(exchange, body);
            } finally {
                body.release();
            }
        });
    }

    private void receivePost(Exchange exchange, ByteBuf body) {
        if (!(transport instanceof PollingTransport polling)) {
            EngineError.BAD_REQUEST.answer(exchange);
            return;
        }
        if (closed && polling.isEmpty()) {
            EngineError.UNKNOWN_SESSION.answer(exchange);
            return;
        }
        if (closed) {
            // The client cannot know yet. After an error it would reconnect before it has read why the session ended.
            exchange.respond(HttpResponseStatus.OK, EngineHttp.TEXT, "ok");
            return;
        }
        List<EnginePacket> packets = EnginePacket.decodePayload(body);
        if (packets == null) {
            EngineError.BAD_REQUEST.answer(exchange);
            finish(CloseReason.PARSE_ERROR, false);
            return;
        }
        for (EnginePacket packet : packets) {
            receive(packet);
        }
        exchange.respond(HttpResponseStatus.OK, EngineHttp.TEXT, "ok");
    }

    void polled(Exchange exchange) {
        post((Runnable) () -> poll(exchange));
    }

    private void poll(Exchange exchange) {
        if (!(transport instanceof PollingTransport polling)) {
            EngineError.BAD_REQUEST.answer(exchange);
        } else if (closed) {
            if (polling.isEmpty()) {
                EngineError.UNKNOWN_SESSION.answer(exchange);
            } else {
                polling.poll(exchange);
                if (polling.isEmpty()) {
                    engine.forget(this);
                }
            }
        } else if (liveness.silence(System.nanoTime()) >= engine.maxSilenceNanos()) {
            finish(CloseReason.PING_TIMEOUT, false);
            EngineError.UNKNOWN_SESSION.answer(exchange);
        } else if (polling.isPolled()) {
            finish(CloseReason.TRANSPORT_ERROR, false);
            EngineError.BAD_REQUEST.answer(exchange);
        } else {
            polling.poll(exchange);
            exchange.onAbandoned(() -> post((Runnable) () -> abandoned(exchange)));
            if (probed) {
                schedule(this::releaseHeldPoll, HELD_POLL);
            }
        }
    }

    private void abandoned(Exchange exchange) {
        if (transport instanceof PollingTransport polling && polling.isPolledBy(exchange)) {
            polling.takePoll();
            finish(CloseReason.TRANSPORT_ERROR, false);
        }
    }

    // Upgrade

    void offered(WebSocketTransport candidate) {
        post((Runnable) () -> {
            if (closed || offer != null || !(transport instanceof PollingTransport)) {
                candidate.close(CloseReason.SERVER_CLOSE);
            } else {
                offer = candidate;
            }
        });
    }

    void probed(WebSocketTransport candidate) {
        post((Runnable) () -> {
            if (candidate == offer) {
                probed = true;
                candidate.send(Frames.PROBE_ANSWER.duplicate());
                candidate.flush();
                releaseHeldPoll();
            }
        });
    }

    private void releaseHeldPoll() {
        if (probed && transport instanceof PollingTransport polling && polling.isPolled()) {
            polling.send(Frames.NOOP.duplicate());
            polling.flush();
        }
    }

    void upgraded(WebSocketTransport candidate) {
        post((Runnable) () -> {
            if (closed || candidate != offer || !probed) {
                candidate.abort();
            } else if (home() != candidate.loop()) {
                moveTo(candidate.loop());
            } else {
                upgradeTo(candidate);
            }
        });
    }

    private void upgradeTo(WebSocketTransport candidate) {
        PollingTransport polling = (PollingTransport) transport;
        transport = candidate;
        offer = null;
        probed = false;
        Exchange late = polling.takePoll();
        if (late != null) {
            EngineError.BAD_REQUEST.answer(late);
        }
        polling.drainTo(candidate);
        candidate.setKnown(known);
        unsent = true;
    }

    // End

    void transportEnded(WebSocketTransport ended, CloseReason reason) {
        post((Runnable) () -> {
            if (ended == transport) {
                finish(reason, false);
            } else if (ended == offer) {
                offer = null;
                probed = false;
            }
        });
    }

    private void finish(CloseReason reason, boolean goodbye) {
        if (closed) {
            return;
        }
        closed = true;
        engine.wheel().remove(this);
        slot.release();
        stopCounting();
        try {
            if (offer != null) {
                offer.abort();
            }
            if (goodbye) {
                transport.close(reason);
            } else {
                transport.abort();
            }
            if (transport instanceof PollingTransport polling && !polling.isEmpty()) {
                home().schedule(() -> post((Runnable) this::lingered), LINGER.toMillis(), TimeUnit.MILLISECONDS);
            } else {
                engine.forget(this);
            }
        } finally {
            engine.countClosing(reason);
            handler.closed(reason);
        }
    }

    private void lingered() {
        transport.abort();
        engine.forget(this);
    }
}
