package io.hadir.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Ends a ban. */
@Command(name = "unban", description = "Ends a ban: the user may join the room again.")
final class UnbanCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "ROOM", description = "The room's id.")
    String room = "";

    @Parameters(index = "1", paramLabel = "USER", description = "The user's id.")
    String user = "";

    UnbanCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        JsonNode answer = api.delete("/rooms/" + HadirApi.encoded(room) + "/bans/" + HadirApi.encoded(user));
        if (json) {
            terminal.say(answer);
        } else {
            terminal.say(Text.visible(user) + " may join " + Text.visible(room) + " again.");
        }
        return ExitCode.OK;
    }
}
