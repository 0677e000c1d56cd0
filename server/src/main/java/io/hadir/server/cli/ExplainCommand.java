package io.hadir.server.cli;

import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Tells why a user is in a room, or why not. */
@Command(
        name = "explain",
        description = "Tells why a user is in a room (its key, sockets and servers), or when and why it went.")
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
                sayWhyThere(answer, now);
            } else {
                sayWhyNot(answer, now);
            }
            printHistory(answer.path("history"), now);
        }
        return present ? ExitCode.OK : ExitCode.NO;
    }

    private void sayWhyThere(JsonNode answer, Instant now) {
        JsonNode presence = answer.path("presence");
        JsonNode expiry = presence.path("expiresAt");
        terminal.say(
                seat("is in") + " because " + Text.visible(answer.path("key").asString("")) + " is alive"
                        + (expiry.isNumber()
                                ? " for another " + Terminal.span(now, Instant.ofEpochMilli(expiry.asLong()))
                                : " and does not expire, which the next sweep will change")
                        + (presence.path("inGrace").asBoolean(false)
                                ? ": the connection is lost, and this is the grace."
                                : "."));
        terminal.say("Joined " + terminal.span(presence.path("joinedAt"), now) + " ago, last heartbeat or join "
                + terminal.span(presence.path("lastActiveAt"), now) + " ago.");
        if (!answer.path("listed").asBoolean(true)) {
            terminal.say("The room's index does not have the user; the next sweep adds it.");
        }
        Table sockets = new Table("SOCKET", "SERVER", "ITS LEASE", "");
        String named = presence.path("socketId").asString("");
        for (JsonNode socket : presence.path("sockets")) {
            JsonNode alive = socket.path("nodeAlive");
            String id = socket.path("socketId").asString("");
            sockets.add(
                    id,
                    socket.path("nodeId").asString(""),
                    alive.isBoolean() ? (alive.asBoolean() ? "alive" : "gone") : "not known",
                    id.equals(named) ? "named by the key" : "");
        }
        if (!presence.path("sockets").isEmpty()) {
            terminal.say("");
            sockets.print(terminal);
        }
    }

    private void sayWhyNot(JsonNode answer, Instant now) {
        JsonNode history = answer.path("history");
        JsonNode last = history.path(history.size() - 1);
        if (last.path("what").asString("").equals("left")) {
            terminal.say(seat("left") + " " + terminal.span(last.path("at"), now) + " ago: " + inWords(last)
                    + " (server " + Text.visible(last.path("nodeId").asString("")) + ").");
        } else if (history.isEmpty() && !answer.path("listed").asBoolean(false)) {
            terminal.say(seat("is not in") + ", and was not in the last 24 hours.");
        } else {
            terminal.say(seat("is not in") + ": "
                    + Text.visible(answer.path("key").asString("")) + " is gone. The room is told by the next sweep.");
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
                    inWords(transition),
                    transition.path("socketId").asString("-"),
                    transition.path("nodeId").asString("-"));
        }
        terminal.say("");
        table.print(terminal);
    }

    private static String inWords(JsonNode transition) {
        String what = transition.path("what").asString("");
        return switch (what) {
            case "rejoined" -> "joined again inside the grace";
            case "moved" -> "the key passed to this socket";
            case "grace" -> "the last socket is gone, the grace began";
            case "restored" -> "put back inside the grace";
            case "left" -> why(transition.path("reason").asString(""));
            default -> what;
        };
    }

    private static String why(String reason) {
        return switch (reason) {
            case "left" -> "left by its own wish";
            case "disconnected" -> "lost the connection";
            case "inactivity_timeout" -> "no heartbeat for too long";
            case "presence_lost" -> "the key was gone before its time";
            case "kicked" -> "was put out";
            case "server_gone" -> "its server was gone";
            default -> reason;
        };
    }
}
