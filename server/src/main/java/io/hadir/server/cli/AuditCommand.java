package io.hadir.server.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

@Command(
        name = "audit",
        description = "Compares keys, indexes, details, sockets and leases on all servers while they run."
                + " Rechecks each discrepancy until it is gone or older than one sweep.")
final class AuditCommand extends ApiCommand {
    private static final Duration PAUSE = Duration.ofMillis(500);

    @Option(names = "--repair", description = "Repairs the discrepancies at once, as the sweep would.")
    boolean repair;

    AuditCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        JsonNode audit = api.post("/audit", "{\"repair\":" + repair + "}").path("audit");
        long startedAt = audit.path("startedAt").asLong(0);
        String progress = "";
        while (!isOver(audit)) {
            progress = report(audit, progress);
            pause();
            audit = api.get("/audit").path("audit");
            if (audit.path("startedAt").asLong(-1) != startedAt) {
                throw new CallFailedException(
                        ExitCode.UNAVAILABLE, "the audit was lost: the server restarted, or another one answered");
            }
        }
        if (json) {
            terminal.say(audit);
        } else {
            print(audit);
        }
        return exitCode(audit);
    }

    /** The counts are complete; only the first discrepancies are listed. */
    private static long count(JsonNode audit) {
        return StreamSupport.stream(audit.path("counts").spliterator(), false)
                .mapToLong(number -> number.asLong(0))
                .sum();
    }

    private static boolean isOver(JsonNode audit) {
        String phase = audit.path("phase").asString("finished");
        return phase.equals("finished") || phase.equals("failed");
    }

    private String report(JsonNode audit, String before) {
        long found = count(audit);
        String now = switch (audit.path("phase").asString("")) {
            case "looking" ->
                "comparing everything; presences so far: "
                        + audit.path("presences").asString("0");
            case "repairing" -> "repairing; discrepancies left: " + found;
            default -> "checking again, for at most one sweep; discrepancies left: " + found;
        };
        if (!json && !now.equals(before)) {
            terminal.err().println(now);
        }
        return now;
    }

    private static void pause() throws CallFailedException {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new CallFailedException(ExitCode.UNREACHABLE, "stopped");
        }
    }

    private void print(JsonNode audit) {
        print("REPAIRED", audit.path("repaired"));
        print("DISCREPANCY", audit.path("discrepancies"));
        String summary = Text.count(audit.path("presences").asLong(0), "presence") + " compared, "
                + audit.path("passed").asString("0") + " discrepancies went away by themselves";
        if (audit.path("phase").asString("").equals("failed")) {
            terminal.complain("the audit failed: Redis did not answer");
        } else if (audit.path("discrepancies").isEmpty()) {
            terminal.say("No discrepancies: " + summary + ".");
        } else {
            terminal.say("Discrepancies: " + count(audit) + "; " + summary + ".");
        }
        audit.path("silentNodes")
                .forEach(node -> terminal.complain("server " + Text.visible(node.asString(""))
                        + " did not answer, so its sockets were not compared"));
        if (audit.path("truncated").asBoolean(false)) {
            terminal.complain("there are too many discrepancies to check at once; run the audit again");
        }
    }

    private void print(String heading, JsonNode findings) {
        if (findings.isEmpty()) {
            return;
        }
        Table table = new Table(heading, "ROOM", "USER", "SOCKET", "AGE", "CAUSE");
        findings.forEach(finding -> table.add(
                finding.path("kind").asString(""),
                finding.path("roomId").asString("-"),
                finding.path("userId").asString("-"),
                finding.path("socketId").asString("-"),
                Terminal.span(
                        Instant.EPOCH,
                        Instant.ofEpochMilli(finding.path("ageMs").asLong(0))),
                finding.path("cause").asString("")));
        table.print(terminal);
        terminal.say("");
    }

    private static int exitCode(JsonNode audit) {
        if (!audit.path("discrepancies").isEmpty()
                && !audit.path("phase").asString("").equals("failed")) {
            return ExitCode.NO;
        }
        boolean whole = audit.path("phase").asString("").equals("finished")
                && audit.path("silentNodes").isEmpty()
                && !audit.path("truncated").asBoolean(false);
        return whole ? ExitCode.OK : ExitCode.UNAVAILABLE;
    }
}
