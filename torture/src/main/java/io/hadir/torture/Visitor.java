package io.hadir.torture;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Somebody's socket in one room: connects, joins, sends its heartbeats, and tells the model what it knows. */
final class Visitor implements Wire.Listener {
    private static final Set<String> OWN_NEWS = Set.of("room:force-leave", "room:left");

    static final String LOST_TOLD = "presence lost: told to the user";

    private static final Duration LONGEST_LEAVE = Duration.ofSeconds(20);

    final World world;
    final String user;
    final String room;
    final int node;
    private final Host host;
    private final Wire wire;
    private final Online.Socket socket;

    @Nullable
    Tab tab;

    private boolean silent;
    private boolean idle;
    private @Nullable Runnable unanswered;

    /** Whose socket it is. */
    interface Host {
        /** The join was answered. */
        default void entered(Visitor visitor, JsonNode answer) {}

        /** It is over without its doing. */
        void lost(Visitor visitor);

        /** The server put it out. */
        default void putOut(Visitor visitor) {
            visitor.close(false);
            lost(visitor);
        }

        default void news(Visitor visitor, JsonNode payload) {}

        default boolean wantsNews() {
            return false;
        }
    }

    Visitor(World world, String user, String room, int node, Host host) {
        this.world = world;
        this.user = user;
        this.room = room;
        this.node = node;
        this.host = host;
        socket = world.online().opens(user, node);
        wire = Wire.open(world.loop(), world.doors().get(node).port(), user, this);
    }

    boolean isOver() {
        return wire.isOver();
    }

    boolean isIn() {
        Tab mine = tab;
        return !isOver() && mine != null && mine.isThere();
    }

    @Override
    public void connected() {
        socket.connected();
        join();
    }

    private void join() {
        if (isOver() || silent) {
            return;
        }
        Tab asking = world.model().asks(room, user, node);
        tab = asking;
        world.tally().joins++;
        ask("join_room", "", answer -> {
            if (answer.path("ok").asBoolean()) {
                world.tally().joined++;
                world.model().joined(asking, answer.path("revision").asLong());
                host.entered(this, answer);
                beatLater(asking);
            } else if (asking.isThere()) {
                world.model().ends(asking, Cause.REFUSED);
                count(answer);
                world.after(Duration.ofMillis(500), this::join);
            }
        });
    }

    private void count(JsonNode answer) {
        if (world.isCalm(node)) {
            world.tally().refused.merge(answer.path("error").path("code").asString("?"), 1, Integer::sum);
        }
    }

    private void beatLater(Tab beating) {
        world.after(world.terms().heartbeat(), () -> beat(beating));
    }

    private void beat(Tab beating) {
        if (isOver() || beating != tab || (!beating.isThere() && !silent) || idle) {
            return;
        }
        beatLater(beating);
        if (silent) {
            return;
        }
        long sent = world.now();
        world.tally().heartbeats++;
        ask("room:heartbeat", "", answer -> {
            if (answer.path("ok").asBoolean()) {
                world.model().beat(beating, sent);
            } else if (answer.path("error").path("code").asString().equals("not_in_room")) {
                putOut(beating, "heartbeat");
            } else {
                count(answer);
            }
        });
    }

    private void ask(String event, String more, Consumer<JsonNode> answer) {
        wire.ask(event, "{\"roomId\":\"" + room + "\"" + more + "}", answer);
    }

    /** Asks for the room as it is. */
    void list(Consumer<JsonNode> answer) {
        ask("room:participants", ",\"limit\":1000", answer);
    }

    private void putOut(Tab lost, String how) {
        if (lost.isThere() && lost == tab) {
            world.story().of(user, "is told by " + how + " that it is not in " + room);
            if (!lost.isSure()) {
                if (!lost.revived && world.isUndisturbed(lost.doubtedSince + 1, node)) {
                    world.tally().took(LOST_TOLD, true, world.now() - lost.doubtedSince);
                }
            } else if (lost.seat.mustBeIn(lost.sureSince, world.now(), world.terms())) {
                world.findings()
                        .add(Findings.Kind.FALSE_LEAVE, user, user + " was put out of " + room + " (" + how + ")");
            }
            world.model().ends(lost, Cause.TOLD);
            host.putOut(this);
        }
    }

    @Override
    public boolean wants(String name) {
        return OWN_NEWS.contains(name) || (host.wantsNews() && name.equals("room:presence"));
    }

    @Override
    public void event(String name, JsonNode payload) {
        Tab mine = tab;
        if (!payload.path("roomId").asString().equals(room) || mine == null) {
            return;
        }
        switch (name) {
            case "room:force-leave" ->
                putOut(mine, "room:force-leave, " + payload.path("reason").asString());
            // Who leaves everywhere knows of its tabs beforehand that they are out.
            case "room:left" -> putOut(mine, name);
            default -> host.news(this, payload);
        }
    }

    @Override
    public void closed() {
        Tab mine = tab;
        socket.ended();
        world.story().of(user, "lost its connection to server " + node);
        if (mine != null && mine.departure == null) {
            // Who was silent for long was given up meanwhile, and learns it now.
            if (!mine.revived && world.isCalm(node)) {
                world.tally().dropped++;
            }
            if (world.pulse().stalled(world.now() - 1_000_000_000L, world.now()) > 0) {
                world.model().doubt(mine);
            }
            world.model().ends(mine, Cause.CLOSE);
        } else if (mine != null && unanswered != null) {
            leaveFailed(mine);
        } else if (mine != null) {
            world.model().ends(mine, Cause.CLOSE);
        }
        host.lost(this);
    }

    /** The server may not have heard that this one leaves; but it sees the connection end. */
    private void leaveFailed(Tab mine) {
        Runnable failed = unanswered;
        unanswered = null;
        world.model().endsAnew(mine, Cause.CLOSE);
        if (failed != null) {
            failed.run();
        }
    }

    /** Leaves the room, and goes when that was answered. */
    void leave(boolean everywhere, Runnable failed) {
        Tab mine = tab;
        if (mine == null || !mine.isThere()) {
            close(false);
            return;
        }
        unanswered = failed;
        world.model().ends(mine, Cause.LEAVE);
        ask("leave_room", everywhere ? ",\"everywhere\":true" : "", answer -> {
            unanswered = null;
            world.story().of(user, "left " + room + ": " + answer);
            end(false);
        });
        world.after(LONGEST_LEAVE, () -> {
            if (unanswered != null && !isOver()) {
                leaveFailed(mine);
                end(false);
            }
        });
    }

    /** Goes without leaving the room: as a closed tab does, or a killed app. */
    void close(boolean reset) {
        Tab mine = tab;
        if (mine != null) {
            world.model().ends(mine, Cause.CLOSE);
        }
        if (reset) {
            end(true);
        } else {
            socket.ended();
            wire.leave();
        }
    }

    private void end(boolean reset) {
        socket.ended();
        wire.close(reset);
    }

    /** Is not heard any more, and hears nothing. */
    void fallSilent() {
        Tab mine = tab;
        silent = true;
        socket.silent();
        if (mine != null) {
            world.model().ends(mine, Cause.SILENCE);
        }
        wire.silent(true);
    }

    /** Is there again, if the server still knows it. */
    void wakeUp() {
        Tab mine = tab;
        silent = false;
        if (!isOver()) {
            socket.heard();
            if (mine != null) {
                world.model().revives(mine);
            }
        }
        wire.silent(false);
    }

    /** The app hangs: it answers pings but sends no heartbeats. */
    void idle() {
        Tab mine = tab;
        if (mine != null
                && mine.isSure()
                && world.isWhole(node)
                && world.now() - mine.goodAt < world.terms().heartbeat().toNanos() * 3 / 2) {
            idle = true;
            world.model().ends(mine, Cause.IDLE);
        }
    }

    boolean isSilent() {
        return silent;
    }
}
