package io.hadir.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The commands that print a list of the API as a table. */
final class ListCommands {
    private ListCommands() {}

    @Command(name = "rooms", description = "Lists the occupied rooms.")
    static final class Rooms extends ApiCommand {
        @Mixin
        final Limit limit = new Limit();

        Rooms(Terminal terminal) {
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
                sayIfThereAreMore(terminal, answer);
            }
            return rooms.isEmpty() ? ExitCode.NO : ExitCode.OK;
        }
    }

    @Command(name = "who", description = "Lists the participants of a room, longest present first.")
    static final class Who extends ApiCommand {
        @Parameters(paramLabel = "ROOM", description = "The room's id.")
        String room = "";

        @Mixin
        final Limit limit = new Limit();

        Who(Terminal terminal) {
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
                terminal.say(participants.size() + " of "
                        + answer.path("viewerCount").asString("") + "; see --limit.");
            }
        }
    }

    @Command(name = "bans", description = "Lists the users who are banned from a room; bans that end first come first.")
    static final class Bans extends ApiCommand {
        @Parameters(paramLabel = "ROOM", description = "The room's id.")
        String room = "";

        @Mixin
        final Limit limit = new Limit();

        Bans(Terminal terminal) {
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
                sayIfThereAreMore(terminal, answer);
            }
            return bans.isEmpty() ? ExitCode.NO : ExitCode.OK;
        }
    }

    private static void sayIfThereAreMore(Terminal terminal, JsonNode answer) {
        if (answer.path("nextCursor").isString()) {
            terminal.say("There are more; see --limit.");
        }
    }

    /** How many entries to list. */
    static final class Limit {
        private static final int USUAL = 1_000;

        @Spec(Spec.Target.MIXEE)
        CommandSpec spec = CommandSpec.create();

        private int most = USUAL;

        @Option(
                names = "--limit",
                paramLabel = "N",
                description = "The most entries to list, 0 for all. Default: " + USUAL + ".")
        void set(int value) {
            if (value < 0) {
                throw new ParameterException(spec.commandLine(), "--limit: " + value + " (expected: >= 0)");
            }
            most = value;
        }

        int most() {
            return most;
        }
    }
}
