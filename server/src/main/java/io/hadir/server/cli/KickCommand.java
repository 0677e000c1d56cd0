package io.hadir.server.cli;

import java.util.ArrayList;
import java.util.List;
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

    @Option(
            names = "--ban",
            paramLabel = "SECONDS",
            description = "Also bans the user from the room for so long, in the room or not; up to 30 days.")
    @Nullable
    Integer ban;

    KickCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        List<String> query = new ArrayList<>();
        if (message != null) {
            query.add("message=" + HadirApi.encoded(message));
        }
        if (ban != null) {
            query.add("banSeconds=" + ban);
        }
        JsonNode answer = api.delete("/rooms/" + HadirApi.encoded(room) + "/participants/" + HadirApi.encoded(user)
                + (query.isEmpty() ? "" : "?" + String.join("&", query)));
        if (json) {
            terminal.say(answer);
        } else if (ban != null) {
            terminal.say(Text.visible(user) + " is banned from " + Text.visible(room) + " until "
                    + terminal.date(answer.path("until")) + ".");
        } else {
            terminal.say(Text.visible(user) + " was put out of " + Text.visible(room) + ".");
        }
        return ExitCode.OK;
    }
}
