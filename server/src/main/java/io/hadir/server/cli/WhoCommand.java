package io.hadir.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists who is in a room. */
@Command(name = "who", description = "Lists who is in a room, those first who are there longest.")
final class WhoCommand extends ApiCommand {
    @Parameters(paramLabel = "ROOM", description = "The room's id.")
    String room = "";

    @Mixin
    final Limit limit = new Limit();

    WhoCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        ObjectNode answer =
                api.getAll("/rooms/" + HadirApi.encoded(room) + "/participants", "participants", limit.most());
        JsonNode participants = answer.get("participants");
        if (json) {
            terminal.say(answer);
        } else if (participants.isEmpty()) {
            terminal.say("Nobody is in " + Text.visible(room) + ".");
        } else {
            print(answer, participants);
        }
        return participants.isEmpty() ? ExitCode.NO : ExitCode.OK;
    }

    private void print(JsonNode answer, JsonNode participants) {
        Table table = new Table("USER", "NAME", "JOINED", "ACTIVE");
        participants.forEach(participant -> table.add(
                participant.path("userId").asString(""),
                participant.path("username").asString(""),
                terminal.ago(participant.path("joinedAt")),
                terminal.ago(participant.path("lastActiveAt"))));
        table.print(terminal);
        if (answer.path("nextCursor").isString()) {
            terminal.say(
                    participants.size() + " of " + answer.path("viewerCount").asString("") + "; see --limit.");
        }
    }
}
