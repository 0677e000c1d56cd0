package io.hadir.socketio.engine;

import io.hadir.socketio.http.Exchange;
import io.hadir.socketio.limit.Places;
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
 * One Engine.IO session: one client, over one transport after another. Its state belongs to its mailbox; the public
 * methods and those that the transports call may be used from any thread and post what they want.
 */
public final class Session extends Mailbox {
    private static final Logger log = LoggerFactory.getLogger(Session.class);

    /** A poll that comes during an upgrade is held so long, because the upgrade most likely completes meanwhile. */
    private static final Duration HELD_POLL = Duration.ofMillis(100);
    /** So long a closed polling session waits for the poll by which the client learns of it. */
    private static final Duration LINGER = Duration.ofSeconds(5);

    private static final Object PING = new Object();
    private static final Object CHECK_PONG = new Object();

    private final Engine engine;
    private final String id;
    private final Remote remote;
    private final SessionHandler handler;
    private final Liveness liveness = new Liveness(System.nanoTime());
    private final UnheardLimit unheard = new UnheardLimit();
    private final Places.Place place;
    private Transport transport;
    private @Nullable WebSocketTransport offer;
    private boolean probed;
    private boolean known;
    private @Nullable AtomicInteger strangers;
    private boolean closed;
    private boolean unsent;

    // Where the ping wheel keeps it; owned by the wheel.
    int wheelSlot;
    int wheelIndex;

    Session(Engine engine, String id, Remote remote, Transport transport, EventLoop home, Places.Place place) {
        super(home);
        this.engine = engine;
        this.id = id;
        this.remote = remote;
        this.transport = transport;
        this.place = place;
        this.handler = engine.newHandler(this);
    }

    public String id() {
        return id;
    }

    public Remote remote() {
        return remote;
    }

    /** Sends a frame made by {@link Frames} and takes it over. */
    public void send(ByteBuf frame) {
        post(frame);
    }

    /** Sends frames that must follow each other, and takes them over. */
    public void send(List<ByteBuf> frames) {
        post(frames.size() == 1 ? frames.get(0) : (Runnable) () -> frames.forEach(this::sendNow));
    }

    /** Sends frames that others send, too; answers as {@link Mailbox#enqueue} does. */
    boolean enqueueShared(List<ByteBuf> frames) {
        frames.forEach(ByteBuf::retain);
        return enqueue(frames.size() == 1 ? frames.get(0) : (Runnable) () -> frames.forEach(this::sendNow));
    }

    /** Runs something between the handler's calls, never at the same time. */
    public void execute(Runnable task) {
        post(task);
    }

    /** As {@link #execute}, after some time; does not run once the session has ended. */
    public Future<?> schedule(Runnable task, Duration delay) {
        Runnable unlessClosed = () -> {
            if (!closed) {
                task.run();
            }
        };
        return home().schedule(() -> post(unlessClosed), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends the session after what was sent to it; the client learns of it. */
    public void close(CloseReason reason) {
        post((Runnable) () -> finish(reason, true));
    }

    /**
     * Makes it known, so that no newcomer can push it out; false if one has. For the handler's calls and tasks only, like
     * {@link #unknow}.
     */
    public boolean know() {
        known = place.know();
        uncount();
        transport.know(known);
        return known;
    }

    /** Makes it a stranger again. */
    public void unknow() {
        known = false;
        place.unknow();
        transport.know(false);
    }

    /** Counts the new session among the strangers of the connection that it came by, until it is known or ends. */
    void countAmong(AtomicInteger crowd) {
        crowd.incrementAndGet();
        strangers = crowd;
    }

    private void uncount() {
        if (strangers != null) {
            strangers.decrementAndGet();
            strangers = null;
        }
    }

    /** Ends the session of a stranger without a word, so that nothing of it stays behind. From any thread. */
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

    /** What the tasks have sent goes out in one piece. */
    @Override
    void settled() {
        if (unsent) {
            unsent = false;
            transport.flush();
        }
    }

    @Override
    void failed(Throwable failure) {
        log.error("A session failed and is closed", failure);
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

    /** Asks to ping the client; answers as {@link Mailbox#enqueue} does. */
    boolean enqueuePing() {
        return enqueue(PING);
    }

    /** Asks to look whether the client has answered its ping; answers as {@link Mailbox#enqueue} does. */
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

    // What the client sends

    /** A WebSocket brought a message, which stays with the caller. */
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
            receive(binary ? new Packet(PacketType.MESSAGE, true, message) : PacketCodec.decodeText(message));
        }
    }

    private void receive(@Nullable Packet packet) {
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
                    unheard();
                }
            }
            case NOOP -> unheard();
            case CLOSE -> finish(CloseReason.TRANSPORT_CLOSE, true);
            case OPEN, PING, UPGRADE -> finish(CloseReason.PARSE_ERROR, false);
        }
    }

    private void unheard() {
        if (unheard.isPassed()) {
            engine.flooded();
            finish(CloseReason.SERVER_CLOSE, false);
        }
    }

    /** The client sent a polling body, which stays with the caller. */
    void posted(Exchange exchange) {
        ByteBuf body = exchange.body().retain();
        post((Runnable) () -> {
            try {
                post(exchange, body);
            } finally {
                body.release();
            }
        });
    }

    private void post(Exchange exchange, ByteBuf body) {
        if (!(transport instanceof PollingTransport polling)) {
            EngineError.BAD_REQUEST.answer(exchange);
            return;
        }
        if (closed && polling.isEmpty()) {
            EngineError.UNKNOWN_SESSION.answer(exchange);
            return;
        }
        if (closed) {
            // The client cannot know yet. An error would make it come back before it has read why the session ended.
            exchange.respond(HttpResponseStatus.OK, EngineHttp.TEXT, "ok");
            return;
        }
        List<Packet> packets = PacketCodec.decodePayload(body);
        if (packets == null) {
            EngineError.BAD_REQUEST.answer(exchange);
            finish(CloseReason.PARSE_ERROR, false);
            return;
        }
        for (Packet packet : packets) {
            receive(packet);
        }
        exchange.respond(HttpResponseStatus.OK, EngineHttp.TEXT, "ok");
    }

    /** The client came to fetch. */
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
        } else if (liveness.silence(System.nanoTime()) >= engine.mostSilenceNanos()) {
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
            polling.dropPoll();
            finish(CloseReason.TRANSPORT_ERROR, false);
        }
    }

    // The upgrade

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
        Exchange late = polling.dropPoll();
        if (late != null) {
            EngineError.BAD_REQUEST.answer(late);
        }
        polling.drainTo(candidate);
        candidate.know(known);
        unsent = true;
    }

    // The end

    /** A WebSocket ended by itself. */
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
        place.leave();
        uncount();
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
            engine.ended(reason);
            handler.closed(reason);
        }
    }

    private void lingered() {
        transport.abort();
        engine.forget(this);
    }
}
