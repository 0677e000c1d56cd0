package io.hadir.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Puts a user out of a room. */
@Command(name = "kick", description = "Puts a user out of a room, with all its sockets, and tells it.")
final class KickCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "ROOM", description = "The room's id.")
    String room = "";

    @Parameters(index = "1", paramLabel = "USER", description = "The user's id.")
    String user = "";

    @Option(
            names = "--message",
            paramLabel = "TEXT",
            description = "What the user reads. Default: \"You have been removed from the chatroom\".")
    @Nullable
    String message;

    KickCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        JsonNode answer = api.delete("/rooms/" + HadirApi.encoded(room) + "/participants/" + HadirApi.encoded(user)
                + (message == null ? "" : "?message=" + HadirApi.encoded(message)));
        if (json) {
            terminal.say(answer);
        } else {
            terminal.say(Text.visible(user) + " was put out of " + Text.visible(room) + ".");
        }
        return ExitCode.OK;
    }
}
