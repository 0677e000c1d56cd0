package io.hadir.server.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands that remove users, and the one that lifts a ban. */
final class RemovalCommands {
    private static final String MESSAGE_HELP =
            "The text that the user reads. Default: \"You have been removed from the chatroom\".";

    private RemovalCommands() {}

    @Command(name = "kick", description = "Kicks a user from a room, with all their sockets, and tells them.")
    static final class Kick extends ApiCommand {
        @Parameters(index = "0", paramLabel = "ROOM", description = "The room's id.")
        String room = "";

        @Parameters(index = "1", paramLabel = "USER", description = "The user's id.")
        String user = "";

        @Option(names = "--message", paramLabel = "TEXT", description = MESSAGE_HELP)
        @Nullable
        String message;

        @Option(
                names = "--ban",
                paramLabel = "SECONDS",
                description =
                        "Also bans the user from the room for this long, whether they are in it or not; up to 30 days.")
        @Nullable
        Integer ban;

        Kick(Terminal terminal) {
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
                terminal.say(Text.visible(user) + " was kicked from " + Text.visible(room) + ".");
            }
            return ExitCode.OK;
        }
    }

    @Command(name = "unban", description = "Lifts a ban: the user may join the room again.")
    static final class Unban extends ApiCommand {
        @Parameters(index = "0", paramLabel = "ROOM", description = "The room's id.")
        String room = "";

        @Parameters(index = "1", paramLabel = "USER", description = "The user's id.")
        String user = "";

        Unban(Terminal terminal) {
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

    @Command(
            name = "disconnect",
            description =
                    "Disconnects all sockets of a user on all servers. Removes them from their rooms at once, and tells them.")
    static final class Disconnect extends ApiCommand {
        @Parameters(paramLabel = "USER", description = "The user's id.")
        String user = "";

        @Option(names = "--message", paramLabel = "TEXT", description = MESSAGE_HELP)
        @Nullable
        String message;

        @Option(
                names = "--revoke",
                description = "Also rejects the tokens issued to the user until now. Otherwise they may reconnect.")
        boolean revoke;

        Disconnect(Terminal terminal) {
            super(terminal);
        }

        private record Request(@Nullable String message, boolean revoke) {}

        @Override
        int run(HadirApi api) throws CallFailedException {
            JsonNode answer = api.post(
                    "/users/" + HadirApi.encoded(user) + "/disconnect",
                    JsonMapper.shared().writeValueAsString(new Request(message, revoke)));
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
}
