package io.hadir.server.cli;

import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "explain",
        description = "Explains why a user is in a room (key, sockets and servers), or when and why they left.")
final class ExplainCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "ROOM", description = "The room's id.")
    String room = "";

    @Parameters(index = "1", paramLabel = "USER", description = "The user's id.")
    String user = "";

    ExplainCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        JsonNode answer =
                api.get("/rooms/" + HadirApi.encoded(room) + "/participants/" + HadirApi.encoded(user) + "/explain");
        boolean present = answer.path("present").asBoolean(false);
        if (json) {
            terminal.say(answer);
        } else {
            Instant now = Instant.ofEpochMilli(answer.path("serverTime").asLong(0));
            if (present) {
                sayWhyPresent(answer, now);
            } else {
                sayWhyAbsent(answer, now);
            }
            printHistory(answer.path("history"), now);
        }
        return present ? ExitCode.OK : ExitCode.NO;
    }

    private void sayWhyPresent(JsonNode answer, Instant now) {
        JsonNode presence = answer.path("presence");
        JsonNode expiry = presence.path("expiresAt");
        terminal.say(
                seat("is in") + " because " + Text.visible(answer.path("key").asString("")) + " is alive"
                        + (expiry.isNumber()
                                ? " for another " + Terminal.span(now, Instant.ofEpochMilli(expiry.asLong()))
                                : " and has no TTL; the next sweep sets one")
                        + (presence.path("inGrace").asBoolean(false)
                                ? ", in the grace period: all sockets are disconnected."
                                : presence.path("held").asBoolean(false)
                                        ? ", away: the last socket was paused and fell silent."
                                        : "."));
        terminal.say("Joined " + terminal.span(presence.path("joinedAt"), now) + " ago, last heartbeat or join "
                + terminal.span(presence.path("lastActiveAt"), now) + " ago.");
        if (!answer.path("listed").asBoolean(true)) {
            terminal.say("The room's index lacks the user; the next sweep adds them.");
        }
        Table sockets = new Table("SOCKET", "SERVER", "ITS LEASE", "");
        String named = presence.path("socketId").asString("");
        for (JsonNode socket : presence.path("sockets")) {
            JsonNode alive = socket.path("nodeAlive");
            String id = socket.path("socketId").asString("");
            sockets.add(
                    id,
                    socket.path("nodeId").asString(""),
                    alive.isBoolean() ? (alive.asBoolean() ? "alive" : "gone") : "unknown",
                    id.equals(named) ? "named by the key" : "");
        }
        if (!presence.path("sockets").isEmpty()) {
            terminal.say("");
            sockets.print(terminal);
        }
    }

    private void sayWhyAbsent(JsonNode answer, Instant now) {
        JsonNode history = answer.path("history");
        JsonNode last = history.path(history.size() - 1);
        if (last.path("what").asString("").equals("left")) {
            terminal.say(seat("left") + " " + terminal.span(last.path("at"), now) + " ago: " + describe(last)
                    + " (noticed by server " + Text.visible(last.path("nodeId").asString("")) + ").");
        } else if (history.isEmpty() && !answer.path("listed").asBoolean(false)) {
            terminal.say(seat("is not in") + ", and Redis has no record of them; records last from a minute to a day.");
        } else {
            terminal.say(seat("is not in") + ": "
                    + Text.visible(answer.path("key").asString("")) + " is gone. The next sweep tells the room.");
        }
    }

    private String seat(String verb) {
        return Text.visible(user) + " " + verb + " " + Text.visible(room);
    }

    private void printHistory(JsonNode history, Instant now) {
        if (history.isEmpty()) {
            return;
        }
        Table table = new Table("WHEN", "WHAT", "SOCKET", "SERVER");
        for (JsonNode transition : history) {
            table.add(
                    terminal.date(transition.path("at")) + ", " + terminal.span(transition.path("at"), now) + " ago",
                    describe(transition),
                    transition.path("socketId").asString("-"),
                    transition.path("nodeId").asString("-"));
        }
        terminal.say("");
        table.print(terminal);
    }

    private static String describe(JsonNode transition) {
        String what = transition.path("what").asString("");
        return switch (what) {
            case "rejoined" -> "joined again within the grace period";
            case "moved" -> "the key passed to this socket";
            case "grace" -> "the last socket disconnected, the grace period began";
            case "paused" -> "all sockets are paused, the user is away";
            case "resumed" -> "a socket is active again";
            case "away" -> "the paused socket fell silent, the user stays as away";
            case "restored" -> "restored within the grace period";
            case "left" -> why(transition.path("reason").asString(""));
            default -> what;
        };
    }

    private static String why(String reason) {
        return switch (reason) {
            case "left" -> "left on their own";
            case "disconnected" -> "disconnected and did not return in time";
            case "inactivity_timeout" -> "no heartbeat for too long";
            case "presence_lost" -> "the key was lost before it expired";
            case "kicked" -> "kicked";
            case "server_gone" -> "their server was gone";
            default -> reason;
        };
    }
}
