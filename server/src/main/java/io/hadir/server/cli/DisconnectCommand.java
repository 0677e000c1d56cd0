package io.hadir.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Disconnects a user everywhere. */
@Command(
        name = "disconnect",
        description = "Closes all sockets of a user on all servers; the user leaves their rooms at once, and is told.")
final class DisconnectCommand extends ApiCommand {
    @Parameters(paramLabel = "USER", description = "The user's id.")
    String user = "";

    @Option(
            names = "--message",
            paramLabel = "TEXT",
            description = "What the user reads. Default: \"You have been removed from the chatroom\".")
    @Nullable
    String message;

    @Option(
            names = "--revoke",
            description =
                    "Refuses the user's tokens that were issued until now. Without it the user may connect again.")
    boolean revoke;

    DisconnectCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("message", message);
        request.put("revoke", revoke);
        JsonNode answer = api.post(
                "/users/" + HadirApi.encoded(user) + "/disconnect",
                JsonMapper.shared().writeValueAsString(request));
        if (json) {
            terminal.say(answer);
        } else {
            terminal.say(Text.visible(user) + " was disconnected; sockets: "
                    + answer.path("sockets").asString("")
                    + (revoke
                            ? "; tokens issued until " + terminal.date(answer.path("revokedAt")) + " are refused"
                            : "")
                    + ".");
        }
        return ExitCode.OK;
    }
}
