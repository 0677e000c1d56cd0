package io.hadir.server.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "watch",
        description =
                "Shows who is in a room, then every join and leave, until Ctrl-C. If the server restarts, waits for it."
                        + " With --json, prints one object per line.")
final class WatchCommand extends ApiCommand {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    @Parameters(paramLabel = "ROOM", description = "The room's id.")
    String room = "";

    private Map<String, String> known = Map.of();
    private @Nullable String revision;
    private @Nullable String failure;

    WatchCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(HadirApi api) throws CallFailedException {
        // Only the first failure ends the command: later ones may be a restart of the server.
        refresh(api);
        while (!terminal.out().checkError()) {
            try {
                Thread.sleep(PAUSE.toMillis());
            } catch (InterruptedException stopped) {
                break;
            }
            try {
                refresh(api);
            } catch (CallFailedException failed) {
                if (failed.exitCode() != ExitCode.UNREACHABLE && failed.exitCode() != ExitCode.UNAVAILABLE) {
                    throw failed;
                }
                lost(failed.line());
            }
        }
        return ExitCode.OK;
    }

    private void refresh(HadirApi api) throws CallFailedException {
        String path = "/rooms/" + HadirApi.encoded(room);
        String seen = api.get(path).path("revision").asString("");
        recovered();
        if (seen.equals(revision)) {
            return;
        }
        ObjectNode answer = api.getAll(path + "/participants", "participants", 0);
        Map<String, String> now = new LinkedHashMap<>();
        answer.get("participants")
                .forEach(participant -> now.put(
                        participant.path("userId").asString(""),
                        participant.path("username").asString("")));
        boolean first = revision == null;
        if (first && !json) {
            terminal.say(terminal.now() + "  in " + Text.visible(room) + ": " + now.size());
        }
        Map<String, String> before = known;
        before.forEach((user, name) -> {
            if (!now.containsKey(user)) {
                report("left", "-", user, name, now.size());
            }
        });
        now.forEach((user, name) -> {
            if (!before.containsKey(user)) {
                report(first ? "present" : "joined", first ? " " : "+", user, name, now.size());
            }
        });
        known = now;
        revision = seen;
    }

    private void report(String event, String sign, String user, String name, int count) {
        if (json) {
            terminal.say(line(event).put("userId", user).put("username", name).put("viewerCount", count));
        } else {
            String shown = name.equals(user) ? user : user + " (" + name + ")";
            String what = event.equals("present") ? "" : " " + event + ", " + count + " here";
            terminal.say(terminal.now() + " " + sign + Text.visible(shown) + what);
        }
    }

    private void lost(String line) {
        if (failure == null) {
            say("lost", line + "; waiting for it");
        }
        failure = line;
    }

    private void recovered() {
        if (failure != null) {
            failure = null;
            say("back", "the server answers again");
        }
    }

    private void say(String event, String words) {
        if (json) {
            terminal.say(line(event).put("message", words));
        } else {
            terminal.say(terminal.now() + " ! " + words);
        }
    }

    private ObjectNode line(String event) {
        return JsonMapper.shared()
                .createObjectNode()
                .put("at", terminal.clock().millis())
                .put("event", event)
                .put("roomId", room);
    }
}
