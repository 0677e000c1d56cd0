package io.hadir.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists who is banned from a room. */
@Command(name = "bans", description = "Lists who is banned from a room, those first whose ban ends first.")
final class BansCommand extends ApiCommand {
    @Parameters(paramLabel = "ROOM", description = "The room's id.")
    String room = "";

    @Mixin
    final Limit limit = new Limit();

    BansCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        ObjectNode answer = api.getAll("/rooms/" + HadirApi.encoded(room) + "/bans", "bans", limit.most());
        JsonNode bans = answer.get("bans");
        if (json) {
            terminal.say(answer);
        } else if (bans.isEmpty()) {
            terminal.say("Nobody is banned from " + Text.visible(room) + ".");
        } else {
            Table table = new Table("USER", "UNTIL", "MESSAGE");
            bans.forEach(ban -> table.add(
                    ban.path("userId").asString(""),
                    terminal.date(ban.path("until")),
                    ban.path("message").asString("-")));
            table.print(terminal);
            if (answer.path("nextCursor").isString()) {
                terminal.say("There are more; see --limit.");
            }
        }
        return bans.isEmpty() ? ExitCode.NO : ExitCode.OK;
    }
}
