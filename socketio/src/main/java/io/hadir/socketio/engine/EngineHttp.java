package io.hadir.socketio.engine;

import io.hadir.socketio.http.Exchange;
import io.hadir.socketio.http.HttpHandler;
import io.hadir.socketio.http.Origins;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP side of Engine.IO: handshakes, polls, posts and WebSocket upgrades. */
final class EngineHttp implements HttpHandler {
    static final String TEXT = "text/plain; charset=UTF-8";

    private static final int MAX_REQUEST_HEADERS_ECHO = 1_000;

    /** Far more than one client needs, and enough for an untrusted proxy whose connections carry several clients. */
    private static final int MAX_STRANGERS_PER_CONNECTION = 64;

    /** How many sessions a connection has opened that are still strangers. */
    private static final AttributeKey<AtomicInteger> STRANGERS = AttributeKey.valueOf(EngineHttp.class, "strangers");

    private static final Logger LOG = LoggerFactory.getLogger(EngineHttp.class);
    private static final Duration LOG_EVERY = Duration.ofSeconds(1);

    /** The log shows an origin of this form only: a client can send any text as its {@code Origin}. */
    private static final Pattern PLAIN_ORIGIN = Pattern.compile("[a-z]{1,20}://[A-Za-z0-9.:\\[\\]-]{1,200}");

    private final Engine engine;
    private final Origins origins;
    private final AtomicLong refusalLoggedAt = new AtomicLong(System.nanoTime() - LOG_EVERY.toNanos());

    EngineHttp(Engine engine, Origins origins) {
        this.engine = engine;
        this.origins = origins;
    }

    @Override
    public int maxBodyBytes() {
        return engine.config().maxPayloadBytes();
    }

    @Override
    public void handle(Exchange exchange) {
        String origin = exchange.requestHeader(HttpHeaderNames.ORIGIN);
        if (!origins.allows(origin, exchange.requestHeader(HttpHeaderNames.HOST))) {
            logRefusal(origin);
            EngineError.FORBIDDEN.answer(exchange);
            return;
        }
        if (origin != null) {
            exchange.header(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, origin)
                    .header(HttpHeaderNames.ACCESS_CONTROL_ALLOW_CREDENTIALS, "true")
                    .header(HttpHeaderNames.VARY, "Origin");
        }
        if (exchange.method().equals(HttpMethod.OPTIONS)) {
            preflight(exchange);
            return;
        }
        String transport = single(exchange, "transport");
        boolean websocket = "websocket".equals(transport);
        if (!websocket && !"polling".equals(transport)) {
            EngineError.UNKNOWN_TRANSPORT.answer(exchange);
        } else if (!"4".equals(single(exchange, "EIO"))) {
            EngineError.UNSUPPORTED_PROTOCOL.answer(exchange);
        } else if (exchange.query("sid").isEmpty()) {
            handshake(exchange, websocket);
        } else {
            resume(exchange, websocket);
        }
    }

    /**
     * Logs the origin, because browsers only report a CORS error. At most one line a second, however many pages try.
     */
    private void logRefusal(@Nullable String origin) {
        long now = System.nanoTime();
        long last = refusalLoggedAt.get();
        if (now - last >= LOG_EVERY.toNanos() && refusalLoggedAt.compareAndSet(last, now)) {
            boolean plain = origin != null && PLAIN_ORIGIN.matcher(origin).matches();
            LOG.info("Refused a page of {}: it is not one of the allowed origins", plain ? origin : "an odd origin");
        }
    }

    /** Returns the value of a parameter that occurs exactly once, else null. */
    private static @Nullable String single(Exchange exchange, String name) {
        List<String> values = exchange.query(name);
        return values.size() == 1 ? values.get(0) : null;
    }

    private static void preflight(Exchange exchange) {
        exchange.header(HttpHeaderNames.ACCESS_CONTROL_ALLOW_METHODS, "GET, POST")
                .header(HttpHeaderNames.ACCESS_CONTROL_MAX_AGE, 600);
        String headers = exchange.requestHeader(HttpHeaderNames.ACCESS_CONTROL_REQUEST_HEADERS);
        if (headers != null && headers.length() <= MAX_REQUEST_HEADERS_ECHO) {
            exchange.header(HttpHeaderNames.ACCESS_CONTROL_ALLOW_HEADERS, headers);
        }
        exchange.respond(HttpResponseStatus.NO_CONTENT, TEXT, "");
    }

    private void handshake(Exchange exchange, boolean websocket) {
        if (!exchange.method().equals(HttpMethod.GET)) {
            EngineError.BAD_HANDSHAKE_METHOD.answer(exchange);
        } else if (websocket != exchange.wantsWebSocket()) {
            EngineError.BAD_REQUEST.answer(exchange);
        } else if (engine.isFull()) {
            engine.countRefusal();
            refuse(exchange);
        } else if (websocket) {
            upgrade(exchange, null);
        } else {
            openPolling(exchange);
        }
    }

    private void openPolling(Exchange exchange) {
        AtomicInteger strangers = exchange.isProxied() ? new AtomicInteger() : strangersOf(exchange.channel());
        if (strangers.get() >= MAX_STRANGERS_PER_CONNECTION) {
            engine.countRefusal();
            refuse(exchange);
            return;
        }
        PollingTransport polling = new PollingTransport(engine.config().sendBufferBytes());
        Session session =
                engine.open(exchange.client(), polling, exchange.channel().eventLoop());
        if (session == null) {
            refuse(exchange);
            return;
        }
        session.countIn(strangers);
        exchange.respond(HttpResponseStatus.OK, TEXT, engine.openPacket(session, true));
    }

    private static AtomicInteger strangersOf(Channel channel) {
        Attribute<AtomicInteger> attribute = channel.attr(STRANGERS);
        AtomicInteger first = new AtomicInteger();
        AtomicInteger known = attribute.setIfAbsent(first);
        return known == null ? first : known;
    }

    private static void refuse(Exchange exchange) {
        exchange.header(HttpHeaderNames.RETRY_AFTER, 5);
        exchange.respondError(
                HttpResponseStatus.SERVICE_UNAVAILABLE, "limit_exceeded", "The server has too many sessions.");
    }

    private void resume(Exchange exchange, boolean websocket) {
        String sid = single(exchange, "sid");
        Session session = sid == null ? null : engine.session(sid);
        if (session == null) {
            EngineError.UNKNOWN_SESSION.answer(exchange);
        } else if (websocket != exchange.wantsWebSocket()) {
            EngineError.BAD_REQUEST.answer(exchange);
        } else if (websocket) {
            upgrade(exchange, session);
        } else if (exchange.method().equals(HttpMethod.GET)) {
            session.polled(exchange);
        } else if (exchange.method().equals(HttpMethod.POST)) {
            session.posted(exchange);
        } else {
            EngineError.BAD_REQUEST.answer(exchange);
        }
    }

    private void upgrade(Exchange exchange, @Nullable Session session) {
        exchange.upgrade(
                engine.config().maxPayloadBytes(),
                new WebSocketTransport(exchange.channel(), engine, exchange.client(), exchange.slot(), session));
    }
}
