package io.hadir.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists the rooms in which somebody is. */
@Command(name = "rooms", description = "Lists the rooms in which somebody is.")
final class RoomsCommand extends ApiCommand {
    @Mixin
    final Limit limit = new Limit();

    RoomsCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        ObjectNode answer = api.getAll("/rooms", "rooms", limit.most());
        JsonNode rooms = answer.get("rooms");
        if (json) {
            terminal.say(answer);
        } else if (rooms.isEmpty()) {
            terminal.say("Nobody is in any room.");
        } else {
            Table table = new Table("ROOM", "VIEWERS");
            rooms.forEach(room -> table.add(
                    room.path("roomId").asString(""),
                    room.path("viewerCount").isNull()
                            ? "?"
                            : room.path("viewerCount").asString("")));
            table.print(terminal);
            if (answer.path("nextCursor").isString()) {
                terminal.say("There are more; see --limit.");
            }
        }
        return rooms.isEmpty() ? ExitCode.NO : ExitCode.OK;
    }
}
