package io.hadir.server.trunk;

import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceError;
import io.hadir.server.events.Vouched;
import io.hadir.server.wire.ErrorJson;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import io.hadir.socketio.Admission;
import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.Handshake;
import io.hadir.socketio.Json;
import io.hadir.socketio.http.WebSocketHandshake;
import io.hadir.socketio.limit.SenderLimit;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One trunk: the last handler of its WebSocket. Everything that the app sends is handled on the channel's loop, one
 * message after the other.
 *
 * <p>What is read waits in an inbox, which is emptied in slices so that other connections of the loop have their
 * turn. The trunk is not read further while its inbox is not empty, or too many of its events are unanswered.
 */
final class Trunk extends ChannelInboundHandlerAdapter {
    static final int VERSION = 1;
    static final String REMOVED = "removed";
    static final String DISCONNECTED = "disconnected";
    static final String INTERNAL = "internal";

    private static final Logger LOG = LoggerFactory.getLogger(Trunk.class);
    private static final Pattern PROCESS = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final long LARGEST_NUMBER = (1L << 53) - 1;
    private static final Duration HELLO_TIMEOUT = Duration.ofSeconds(5);
    /** How long an app may be silent. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /** How long an event may wait for an admission and then for Redis, and still be answered in time. */
    private static final Duration ADMISSION = Duration.ofMillis(300);

    private static final Duration LONGEST_ADMISSION = Duration.ofMillis(1500);

    /** Nothing that happened longer ago matters for a client that arrives. */
    private static final Duration LONGEST_AGE = Duration.ofDays(1);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    /** How many messages are handled before others have their turn. */
    private static final int SLICE = 200;
    /** How many events, and sockets to open, may be unanswered before the trunk is not read. */
    private static final int MOST_UNANSWERED = 2_000;

    private static final int SEND_BUFFER_BYTES = 64 << 20;
    private static final String HEARTBEAT = "room:heartbeat";

    private final Trunks trunks;
    private final Channel channel;
    private final Outbox outbox;
    private final Map<Long, TrunkSocket> sockets = new HashMap<>();
    private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    /** Sockets whose rooms have to be taken over again, because Redis was away. */
    private List<TrunkSocket> again = new ArrayList<>();

    private String process = "";
    private long epoch;
    /** When the app last heard of a node for certain, before this trunk. */
    private long lastTrunkAt;

    private boolean greeted;
    private boolean welcomed;
    private boolean ended;
    private boolean pumping;
    private long heardAt = System.nanoTime();
    private long tickedAt = heardAt;

    Trunk(Trunks trunks, Channel channel) {
        this.trunks = trunks;
        this.channel = channel;
        outbox = new Outbox(channel, this::checkBuffer);
    }

    Trunks trunks() {
        return trunks;
    }

    /** The process of a trunk that was welcomed. */
    String process() {
        return process;
    }

    long epoch() {
        return epoch;
    }

    EventLoop loop() {
        return channel.eventLoop();
    }

    // Frames

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event != WebSocketHandshake.Opened.INSTANCE) {
            context.fireUserEventTriggered(event);
            return;
        }
        channel.pipeline().addBefore(context.name(), null, new WebSocketFrameAggregator(Trunks.MAX_FRAME_BYTES));
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(SEND_BUFFER_BYTES / 2, SEND_BUFFER_BYTES));
        trunks.opened(this);
        schedule(this::expectHello, HELLO_TIMEOUT);
    }

    private void expectHello() {
        if (!greeted) {
            fail(TrunkError.SILENT);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (ended) {
                return;
            }
            long now = System.nanoTime();
            heardAt = now;
            if (hasStoodStill(now)) {
                fail(TrunkError.SILENT);
            } else if (message instanceof TextWebSocketFrame text) {
                receive(Frame.read(text.content()));
            } else if (message instanceof PingWebSocketFrame ping) {
                channel.writeAndFlush(new PongWebSocketFrame(ping.content().retain()), channel.voidPromise());
                checkBuffer();
            } else if (message instanceof CloseWebSocketFrame) {
                channel.writeAndFlush(new CloseWebSocketFrame(1000, "")).addListener(ChannelFutureListener.CLOSE);
                end(DisconnectReason.TRANSPORT_ERROR);
            } else if (!(message instanceof PongWebSocketFrame)) {
                fail(TrunkError.INVALID, "a frame is not text");
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void receive(@Nullable Frame frame) {
        if (frame == null) {
            fail(TrunkError.INVALID, "a frame is not an array of messages");
            return;
        }
        for (JsonNode message : frame.messages()) {
            if (message.path(0).isString() && message.get(0).stringValue().equals("beats")) {
                message.path(1).forEach(beat -> inbox.add(() -> heartbeat(beat)));
            } else {
                inbox.add(() -> handle(message));
            }
        }
        frame.unreadable().forEach(one -> inbox.add(() -> refuse(one.number(), one.ack())));
        pump();
    }

    /**
     * A message about a socket cannot be read. Others are not to blame, so only this one is refused, or the socket
     * closed.
     */
    private void refuse(long number, @Nullable JsonNode ack) {
        TrunkSocket socket = sockets.get(number);
        if (ack != null) {
            new TrunkSocket.EventAck(this, ack).send(Refused.INVALID);
        } else if (socket != null) {
            send("close", number, ErrorCode.INVALID_ARGUMENT.wire());
            disconnect(socket, DisconnectReason.PARSE_ERROR);
        } else if (number != 0) {
            send("refused", number, Refused.INVALID.error());
        }
    }

    /** Handles a slice of what was read, and decides whether to read on. */
    private void pump() {
        if (ended || pumping) {
            return;
        }
        pumping = true;
        for (int i = 0; i < SLICE && mayHandle(); i++) {
            inbox.remove().run();
        }
        pumping = false;
        if (ended) {
            return;
        }
        if (mayHandle()) {
            loop().execute(this::pump);
        }
        channel.config().setAutoRead(inbox.isEmpty() && unanswered.get() < MOST_UNANSWERED);
    }

    private boolean mayHandle() {
        // A hello is followed by nothing until the other nodes know of it.
        return !ended && !inbox.isEmpty() && unanswered.get() < MOST_UNANSWERED && (welcomed || !greeted);
    }

    private void began() {
        unanswered.incrementAndGet();
    }

    /** On any thread. */
    private void answered() {
        if (unanswered.decrementAndGet() == MOST_UNANSWERED - 1) {
            loop().execute(this::pump);
        }
    }

    // Messages of the app

    private void handle(JsonNode message) {
        if (!message.path(0).isString()) {
            fail(TrunkError.INVALID, "a message has no type");
            return;
        }
        String type = message.get(0).stringValue();
        if (!greeted && !type.equals("hello")) {
            fail(TrunkError.INVALID, "the first message is not hello");
            return;
        }
        switch (type) {
            case "hello" -> hello(message.path(1));
            case "open" -> open(number(message.path(1)), message.path(2));
            case "event" -> event(number(message.path(1)), message.path(2), message.path(3), message.path(4));
            case "departed" -> departed(message.path(1), message.path(2));
            case "gone" -> gone(number(message.path(1)), message.path(2));
            default -> {
                // A pong, or a message of a later version.
            }
        }
    }

    /** The number in a message; 0 if it is not one. */
    private static long number(JsonNode node) {
        boolean valid = node.isIntegralNumber() && node.canConvertToLong();
        long number = valid ? node.longValue() : 0;
        return number > 0 && number <= LARGEST_NUMBER ? number : 0;
    }

    private void hello(JsonNode hello) {
        String named = hello.path("process").asString("");
        long given = number(hello.path("epoch"));
        if (greeted || !PROCESS.matcher(named).matches() || given == 0) {
            fail(TrunkError.INVALID, "hello");
            return;
        }
        process = named;
        epoch = given;
        lastTrunkAt = System.nanoTime() - millis(hello.path("away")).toNanos();
        greeted = true;
        if (hello.path("version").asInt(0) != VERSION) {
            fail(TrunkError.VERSION);
            return;
        }
        trunks.greet(this)
                .whenComplete((latest, failed) -> loop().execute(() -> {
                    if (failed == null && latest > epoch) {
                        fail(TrunkError.SUPERSEDED);
                    } else if (!ended) {
                        welcome();
                    }
                }));
    }

    private void welcome() {
        if (!trunks.welcome(this)) {
            fail(TrunkError.SUPERSEDED);
            return;
        }
        welcomed = true;
        tickedAt = System.nanoTime();
        send("welcome", trunks.welcomeMessage());
        schedule(this::tick, trunks.ping());
        pump();
    }

    private void open(long number, JsonNode about) {
        if (number == 0 || !about.isObject() || sockets.containsKey(number)) {
            fail(TrunkError.INVALID, "open");
            return;
        }
        Vouched vouched;
        try {
            vouched = Vouched.read(new Payload(about), about.path("in").isArray());
        } catch (RefusedException invalid) {
            send("refused", number, ErrorJson.of(invalid.error()));
            return;
        }
        SenderLimit limit = new SenderLimit(trunks.eventsPerSecond(), System.nanoTime());
        TrunkSocket socket = new TrunkSocket(this, number, trunks.newSocketId(), about.path("in"), limit);
        sockets.put(number, socket);
        trunks.add(socket);
        began();
        Handshake handshake = new Handshake(socket.id(), about);
        trunks.events()
                .connecting(handshake, vouched, millis(about.path("age")))
                .whenComplete((admission, failed) -> loop().execute(() -> {
                    if (failed != null) {
                        LOG.error("Presence failed to decide whether a socket may connect", failed);
                    }
                    admitted(socket, failed == null ? admission : Admission.refused(INTERNAL));
                }));
    }

    /** A time in milliseconds; 0 if the app does not say. */
    private static Duration millis(JsonNode field) {
        return Duration.ofMillis(Math.min(number(field), LONGEST_AGE.toMillis()));
    }

    private void admitted(TrunkSocket socket, Admission admission) {
        if (sockets.get(socket.number) != socket) {
            answered();
            return;
        }
        if (admission.refusal() != null) {
            forget(socket);
            trunks.countRefusal();
            Object error = admission.data();
            send("refused", socket.number, error != null ? error : ErrorJson.of(PresenceError.unavailable()));
            socket.admissionEnded();
            answered();
            return;
        }
        socket.connect(admission.attachment());
        trunks.events().connected(socket, socket.rooms);
        takeOver(socket).whenComplete((done, failed) -> answered());
        socket.admissionEnded();
    }

    /** Puts a socket back into the rooms that are left to do. Those that cannot be done now are tried again later. */
    private CompletionStage<Void> takeOver(TrunkSocket socket) {
        List<JsonNode> rooms = socket.rooms;
        socket.rooms = List.of();
        Duration heardAgo = Duration.ofNanos(System.nanoTime() - lastTrunkAt);
        CompletableFuture<?>[] taking = rooms.stream()
                .map(room -> trunks.events()
                        .takeOver(socket, room, heardAgo)
                        .thenAccept(done -> {
                            if (!done) {
                                loop().execute(() -> tryAgain(socket, room));
                            }
                        })
                        .toCompletableFuture())
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(taking);
    }

    private void tryAgain(TrunkSocket socket, JsonNode room) {
        if (socket.isConnected()) {
            if (socket.rooms.isEmpty()) {
                socket.rooms = new ArrayList<>(1);
                again.add(socket);
            }
            socket.rooms.add(room);
        }
    }

    private void heartbeat(JsonNode beat) {
        if (!beat.isArray()) {
            fail(TrunkError.INVALID, "a heartbeat");
            return;
        }
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set("roomId", beat.path(2));
        event(number(beat.path(0)), beat.path(1), HEARTBEAT, payload);
    }

    private void event(long number, JsonNode ack, JsonNode name, JsonNode payload) {
        if (name.isString()) {
            event(number, ack, name.stringValue(), payload);
        } else {
            refuse(number, ack.isIntegralNumber() ? ack : null);
        }
    }

    private void event(long number, JsonNode ack, String name, JsonNode payload) {
        boolean wanted = ack.isIntegralNumber();
        if (!(wanted || ack.isNull() || ack.isMissingNode())) {
            refuse(number, null);
            return;
        }
        TrunkSocket.EventAck answer = new TrunkSocket.EventAck(this, wanted ? ack : null);
        TrunkSocket socket = sockets.get(number);
        if (socket == null) {
            answer.send(Refused.UNAVAILABLE);
            return;
        }
        began();
        if (socket.handshake == null) {
            event(socket, answer, name, payload);
            return;
        }
        long read = System.nanoTime();
        Runnable givenUp = () -> {
            answer.send(Refused.UNAVAILABLE);
            answered();
        };
        Runnable admitted = () -> event(socket, answer, name, payload);
        socket.whenAdmitted(read, () -> (isInVain(read) ? givenUp : admitted).run(), givenUp);
        schedule(() -> giveUp(socket, read), LONGEST_ADMISSION);
    }

    private void giveUp(TrunkSocket socket, long read) {
        if (isInVain(read)) {
            socket.giveUp(read);
        }
    }

    /** Whether an event would be refused too late: it has waited for an admission, and Redis is silent. */
    private boolean isInVain(long read) {
        return System.nanoTime() - read > ADMISSION.toNanos()
                && !trunks.events().isAnswering();
    }

    private void event(TrunkSocket socket, TrunkSocket.EventAck ack, String name, JsonNode payload) {
        if (!socket.isConnected()) {
            ack.send(Refused.UNAVAILABLE);
            answered();
            return;
        }
        long wait = charge(socket, name, payload);
        if (wait > 0) {
            trunks.counts().countLimitedEvent();
        }
        if (socket.limit.isFlood(wait == 0) && !socket.flooded) {
            socket.flooded = true;
            trunks.counts().countFlood();
            trunks.events().flooded(socket).whenComplete((done, failed) -> close(socket, "rate_limited"));
        }
        if (wait > 0 || socket.flooded) {
            trunks.events().limited(socket, name, ack, Duration.ofNanos(wait));
            answered();
        } else {
            answer(socket, ack, name, payload).whenComplete((done, failed) -> answered());
        }
    }

    private CompletionStage<?> answer(TrunkSocket socket, TrunkSocket.EventAck ack, String name, JsonNode payload) {
        try {
            return trunks.events().answer(socket, name, List.of(payload), ack);
        } catch (RuntimeException bug) {
            LOG.error("An event failed; its socket will be closed", bug);
            socket.close();
            return CompletableFuture.completedStage(null);
        }
    }

    private long charge(TrunkSocket socket, String name, JsonNode payload) {
        long now = System.nanoTime();
        int cost = trunks.events().cost(name, payload);
        long wait = socket.limit.take(cost, now);
        return wait == 0 ? trunks.events().takeShared(socket, cost, now) : wait;
    }

    private void gone(long number, JsonNode why) {
        TrunkSocket socket = sockets.get(number);
        if (socket != null) {
            boolean closed = why.isString() && why.stringValue().equals("closed");
            disconnect(socket, closed ? DisconnectReason.CLIENT_DISCONNECT : DisconnectReason.TRANSPORT_ERROR);
        }
    }

    /** A client left a room, or closed its connection, while there was no trunk. */
    private void departed(JsonNode ack, JsonNode about) {
        TrunkSocket.EventAck answer = new TrunkSocket.EventAck(this, ack.isIntegralNumber() ? ack : null);
        try {
            began();
            trunks.events().departed(about).whenComplete((heard, failed) -> {
                answer.send(failed == null && heard ? new Done(true) : Refused.UNAVAILABLE);
                answered();
            });
        } catch (RefusedException invalid) {
            answer.send(new Refused(false, ErrorJson.of(invalid.error())));
            answered();
        }
    }

    private record Done(boolean ok) {}

    /** A refused event. */
    private record Refused(boolean ok, ErrorJson error) {
        static final Refused UNAVAILABLE = new Refused(false, ErrorJson.of(PresenceError.unavailable()));
        static final Refused INVALID =
                new Refused(false, ErrorJson.of(PresenceError.invalid("payload", "what the trunk's protocol says")));
    }

    // Ends of sockets

    private void disconnect(TrunkSocket socket, DisconnectReason reason) {
        forget(socket);
        Handshake abandoned = socket.handshake;
        if (abandoned != null) {
            trunks.events().abandoned(abandoned);
            socket.admissionEnded();
            return;
        }
        socket.end();
        trunks.events().disconnecting(socket, reason);
        socket.leaveAll();
        trunks.events().disconnected(socket, reason);
    }

    private void forget(TrunkSocket socket) {
        sockets.remove(socket.number, socket);
        trunks.remove(socket);
    }

    /** Ends a socket for a reason of the server, and tells the app. On any thread. */
    void close(TrunkSocket socket, String code) {
        loop().execute(() -> {
            if (socket.isConnected()) {
                send("close", socket.number, code);
                disconnect(socket, DisconnectReason.SERVER_DISCONNECT);
            }
        });
    }

    // Messages to the app

    /** Sends a message. On any thread. */
    void send(@Nullable Object... message) {
        outbox.add(Json.MAPPER.writeValueAsBytes(message));
    }

    /** Sends a message that is encoded already. On any thread. */
    void sendEncoded(byte[] message) {
        outbox.add(message);
    }

    // Life

    private void tick() {
        if (ended) {
            return;
        }
        long now = System.nanoTime();
        if (hasStoodStill(now)) {
            fail(TrunkError.SILENT);
            return;
        }
        tickedAt = now;
        if (!channel.config().isAutoRead()) {
            // What the app says is not read at the moment.
            heardAt = now;
        }
        if (now - heardAt > SILENCE.toNanos()) {
            fail(TrunkError.SILENT);
            return;
        }
        send("ping");
        List<TrunkSocket> due = again;
        again = new ArrayList<>();
        due.stream().filter(TrunkSocket::isConnected).forEach(this::takeOver);
        trunks.renew(this);
        schedule(this::tick, trunks.ping());
    }

    /** Whether this node stood still for so long that the app has moved on. What it sent before is out of date. */
    private boolean hasStoodStill(long now) {
        return welcomed && now - tickedAt > trunks.silence().toNanos();
    }

    private void checkBuffer() {
        if (!ended && !channel.isWritable()) {
            LOG.warn("Closed a trunk whose app does not read; sockets: {}", sockets.size());
            trunks.countSlow();
            channel.close();
            end(DisconnectReason.TRANSPORT_ERROR);
        }
    }

    /** The process has a later trunk. On any thread. */
    void supersede() {
        loop().execute(() -> fail(TrunkError.SUPERSEDED));
    }

    /** The server stops: the app moves to another node. On any thread. */
    CompletionStage<Void> stop() {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        channel.closeFuture().addListener(closed -> stopped.complete(null));
        loop().execute(() -> fail(TrunkError.STOPPING));
        return stopped;
    }

    private void fail(TrunkError error) {
        fail(error, "");
    }

    /**
     * Says why, closes the trunk and disconnects its sockets.
     *
     * @param what more about the reason; nothing that the app sent
     */
    private void fail(TrunkError error, String what) {
        if (ended) {
            return;
        }
        String message = what.isEmpty() ? error.message : error.message + ": " + what;
        send("error", Map.of("code", error.code, "message", message, "versions", List.of(VERSION)));
        outbox.flush();
        channel.writeAndFlush(new CloseWebSocketFrame(error.closeCode, error.code))
                .addListener(ChannelFutureListener.CLOSE);
        schedule(channel::close, CLOSE_TIMEOUT);
        if (error != TrunkError.STOPPING && error != TrunkError.SUPERSEDED) {
            LOG.info("Closed a trunk: {}; sockets: {}", message, sockets.size());
        }
        end(error == TrunkError.STOPPING ? DisconnectReason.SHUTTING_DOWN : DisconnectReason.TRANSPORT_ERROR);
    }

    private void end(DisconnectReason reason) {
        if (ended) {
            return;
        }
        ended = true;
        inbox.clear();
        outbox.close();
        trunks.ended(this);
        List.copyOf(sockets.values()).forEach(socket -> disconnect(socket, reason));
    }

    private void schedule(Runnable task, Duration delay) {
        loop().schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end(DisconnectReason.TRANSPORT_ERROR);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof TooLongFrameException) {
            fail(TrunkError.TOO_BIG);
        } else if (!(cause instanceof CorruptedFrameException)) {
            // For a broken frame the decoder has sent a close code and closes once that is written.
            context.close();
        }
        end(DisconnectReason.TRANSPORT_ERROR);
    }
}
