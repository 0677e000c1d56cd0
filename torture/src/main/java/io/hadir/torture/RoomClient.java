package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import io.hadir.torture.Findings.Kind;
import io.hadir.torture.Seat.Claim;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One socket of a user in one room: connects, joins, sends heartbeats, and keeps the models informed. */
final class RoomClient implements SocketIoClient.Listener {
    static final String LOSS_TOLD = "presence lost: told to the user";

    private static final Set<String> REMOVALS = Set.of("room:force-leave", "room:left");
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration JOIN_AGAIN = Duration.ofMillis(500);

    final String user;
    final String room;
    final int node;

    @Nullable
    Claim claim;

    private final Run run;
    private final Owner owner;
    private final SocketIoClient connection;
    private final OnlineModel.Socket socket;
    private boolean silent;
    private boolean idle;
    private @Nullable Runnable pendingLeave;

    /** The user that the socket belongs to. */
    interface Owner {
        /** The server accepted the join. */
        default void joined(RoomClient client, JsonNode answer) {}

        /** The socket ended, and not from this side. */
        void lost(RoomClient client);

        /** The server told the socket that it is not in the room. */
        default void removed(RoomClient client) {
            client.close(false);
            lost(client);
        }

        default void changed(RoomClient client, JsonNode change) {}

        default boolean wantsChanges() {
            return false;
        }
    }

    RoomClient(Run run, String user, String room, int node, Owner owner) {
        this.run = run;
        this.user = user;
        this.room = room;
        this.node = node;
        this.owner = owner;
        socket = run.online().open(user, node);
        connection = SocketIoClient.open(run.loop(), run.clientLinks().get(node).port(), user, this);
    }

    boolean isClosed() {
        return connection.isClosed();
    }

    boolean isIn() {
        Claim mine = claim;
        return !isClosed() && mine != null && mine.isActive();
    }

    boolean isSilent() {
        return silent;
    }

    @Override
    public void connected() {
        socket.connected();
        if (run.settings().attached()) {
            run.model().mayBeRestored(user);
        }
        join();
    }

    private void join() {
        if (isClosed() || silent) {
            return;
        }
        Claim joining = run.model().joinSent(room, user, node);
        claim = joining;
        run.statistics().joins++;
        ask("join_room", "", answer -> {
            if (answer.path("ok").asBoolean()) {
                run.model().joined(joining, answer.path("revision").asLong());
                owner.joined(this, answer);
                scheduleHeartbeat(joining);
            } else if (joining.isActive()) {
                run.model().end(joining, Cause.REFUSED);
                countRefused(answer);
                run.after(JOIN_AGAIN, this::join);
            }
        });
    }

    private void countRefused(JsonNode answer) {
        if (run.isCalm(node)) {
            run.statistics().countRefused(answer.path("error").path("code").asString("?"));
        }
    }

    private void scheduleHeartbeat(Claim beating) {
        run.after(run.settings().heartbeat(), () -> heartbeat(beating));
    }

    private void heartbeat(Claim beating) {
        if (isClosed() || beating != claim || (!beating.isActive() && !silent) || idle) {
            return;
        }
        scheduleHeartbeat(beating);
        if (silent) {
            return;
        }
        long sent = run.now();
        run.statistics().heartbeats++;
        ask("room:heartbeat", "", answer -> {
            if (answer.path("ok").asBoolean()) {
                run.model().heartbeatAccepted(beating, sent);
            } else if (answer.path("error").path("code").asString().equals("not_in_room")) {
                removed(beating, "heartbeat");
            } else {
                countRefused(answer);
            }
        });
    }

    private void ask(String event, String more, Consumer<JsonNode> answer) {
        connection.ask(event, "{\"roomId\":\"" + room + "\"" + more + "}", answer);
    }

    void list(Consumer<JsonNode> answer) {
        ask("room:participants", ",\"limit\":1000", answer);
    }

    /** The server said that the claim does not hold its seat; it must have had a reason. */
    private void removed(Claim lost, String how) {
        if (!lost.isActive() || lost != claim) {
            return;
        }
        run.history().record(user, "hears from " + how + " that they are not in " + room);
        if (!lost.isCertain()) {
            if (!lost.revived && run.isUndisturbed(lost.doubtedSince + 1, node)) {
                run.statistics().measure(LOSS_TOLD, true, run.now() - lost.doubtedSince);
            }
        } else if (lost.seat.mustBeIn(lost.certainSince, run.now(), run.settings())) {
            run.report(Kind.FALSE_LEAVE, user, user + " was removed from " + room + " (" + how + ")");
        }
        run.model().end(lost, Cause.TOLD);
        owner.removed(this);
    }

    @Override
    public boolean wants(String name) {
        return REMOVALS.contains(name) || (owner.wantsChanges() && name.equals("room:presence"));
    }

    @Override
    public void event(String name, JsonNode payload) {
        Claim mine = claim;
        if (!payload.path("roomId").asString().equals(room) || mine == null) {
            return;
        }
        switch (name) {
            case "room:force-leave" ->
                removed(mine, "room:force-leave, " + payload.path("reason").asString());
            // A user who leaves everywhere has ended all their claims before.
            case "room:left" -> removed(mine, name);
            default -> owner.changed(this, payload);
        }
    }

    @Override
    public void closed() {
        Claim mine = claim;
        socket.ended();
        run.history().record(user, "lost the connection to server " + node);
        if (mine != null && mine.departure == null) {
            // The server may have closed the socket while it was silent; the client learns that only now.
            if (!mine.revived && run.isCalm(node)) {
                run.statistics().disconnects++;
            }
            if (run.stalls().between(run.now() - 1_000_000_000L, run.now()) > 0) {
                run.model().doubt(mine);
            }
            doubtIfTrunksMove(mine);
            run.model().end(mine, Cause.CLOSE);
        } else if (mine != null && pendingLeave != null) {
            leaveFailed(mine);
        } else if (mine != null) {
            run.model().end(mine, Cause.CLOSE);
        }
        owner.lost(this);
    }

    /** The server may not have received the leave, but it sees the connection end. */
    private void leaveFailed(Claim mine) {
        Runnable failed = pendingLeave;
        pendingLeave = null;
        run.model().endInstead(mine, Cause.CLOSE);
        if (failed != null) {
            failed.run();
        }
    }

    /**
     * Leaves the room, and closes the connection after the answer.
     *
     * @param failed runs if there is no answer
     */
    void leave(boolean everywhere, Runnable failed) {
        Claim mine = claim;
        if (mine == null || !mine.isActive()) {
            close(false);
            return;
        }
        pendingLeave = failed;
        run.model().end(mine, Cause.LEAVE);
        ask("leave_room", everywhere ? ",\"everywhere\":true" : "", answer -> {
            pendingLeave = null;
            run.history().record(user, "left " + room + ": " + answer);
            end(false);
        });
        run.after(LEAVE_TIMEOUT, () -> {
            if (pendingLeave != null && !isClosed()) {
                leaveFailed(mine);
                end(false);
            }
        });
    }

    /** Closes the connection without leaving the room, as a closed tab does, or with RST as a killed app does. */
    void close(boolean reset) {
        Claim mine = claim;
        if (mine != null) {
            doubtIfTrunksMove(mine);
            run.model().end(mine, Cause.CLOSE);
        }
        if (reset) {
            end(true);
        } else {
            socket.ended();
            connection.disconnect();
        }
    }

    /** The grace period of a client that goes while trunks move may have begun before. */
    private void doubtIfTrunksMove(Claim mine) {
        if (run.settings().attached() && !run.isWhole(node)) {
            run.model().doubt(mine);
        }
    }

    private void end(boolean reset) {
        socket.ended();
        connection.close(reset);
    }

    /** Neither sends nor receives from now on. */
    void fallSilent() {
        Claim mine = claim;
        silent = true;
        socket.silent();
        if (mine != null) {
            doubtIfTrunksMove(mine);
            run.model().end(mine, Cause.SILENCE);
        }
        connection.silent(true);
    }

    /** Sends and receives again, if the server has not closed the connection. */
    void wakeUp() {
        Claim mine = claim;
        silent = false;
        if (!isClosed()) {
            socket.heard();
            if (mine != null) {
                run.model().revive(mine);
            }
        }
        connection.silent(false);
    }

    /** Answers pings but sends no heartbeats, like a hanging app. */
    void idle() {
        Claim mine = claim;
        if (mine != null
                && mine.isCertain()
                && run.isWhole(node)
                && run.now() - mine.renewedAt < run.settings().heartbeat().toNanos() * 3 / 2) {
            idle = true;
            run.model().end(mine, Cause.IDLE);
        }
    }
}
