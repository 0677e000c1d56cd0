package io.hadir.server.cli;

import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "stats",
        description = "Shows how many users are online, how many left rooms in the last 24 hours and why, and which"
                + " servers share the Redis.")
final class StatsCommand extends ApiCommand {
    StatsCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        JsonNode now = api.get("/stats");
        JsonNode removals = api.get("/stats/removals");
        JsonNode nodes = api.get("/nodes").path("nodes");
        if (json && now instanceof ObjectNode all) {
            all.set("removals", removals);
            all.set("nodes", nodes);
            terminal.say(all);
            return ExitCode.OK;
        }
        Table counts = new Table("NOW", "");
        counts.add("users online", now.path("usersOnline").asString("-"));
        counts.add("rooms occupied", now.path("roomsOccupied").asString("-"));
        counts.print(terminal);
        terminal.say("");
        Table reasons = new Table("LEFT A ROOM IN THE LAST 24 HOURS", "");
        removals.path("totals")
                .properties()
                .forEach(
                        reason -> reasons.add(reason.getKey(), reason.getValue().asString("")));
        if (removals.path("totals").isEmpty()) {
            reasons.add("nobody", "");
        }
        reasons.print(terminal);
        terminal.say("");
        Table servers = new Table("SERVER", "VERSION", "SOCKETS", "UP FOR");
        nodes.forEach(node -> servers.add(
                node.path("nodeId").asString(""),
                node.path("version").asString("-"),
                node.path("sockets").asString("-"),
                terminal.span(node.path("startedAt"))));
        servers.print(terminal);
        return ExitCode.OK;
    }
}
