package io.hadir.server.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "user",
        description = "Shows whether a user is online, which room they look at, and which rooms they are in.")
final class UserCommand extends ApiCommand {
    @Parameters(paramLabel = "USER", description = "The user's id.")
    String user = "";

    UserCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        JsonNode answer = api.get("/users/" + HadirApi.encoded(user));
        boolean online = answer.path("online").asBoolean(false);
        if (json) {
            terminal.say(answer);
        } else {
            List<String> rooms = new ArrayList<>();
            answer.path("rooms").forEach(room -> rooms.add(room.asString("")));
            JsonNode seen = answer.path("lastSeen");
            row("User", answer.path("userId").asString(user));
            row("Online", online ? "yes" : "no");
            row("Looks at", answer.path("activeRoom").asString("-"));
            row("Last seen", seen.isNumber() ? terminal.date(seen) + ", " + terminal.ago(seen) : "never");
            row("Rooms", rooms.isEmpty() ? "-" : String.join(", ", rooms));
        }
        return online ? ExitCode.OK : ExitCode.NO;
    }

    private void row(String name, String value) {
        terminal.say(terminal.bold(Text.fitted(name, 11)) + Text.visible(value));
    }
}
