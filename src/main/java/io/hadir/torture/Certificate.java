package io.hadir.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** What a run saw, in words and as JSON. */
public final class Certificate {
    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();
    private final Findings findings;

    private Certificate(Findings findings) {
        this.findings = findings;
    }

    static Certificate of(Options options, Terms terms, World world, int rooms) {
        Certificate certificate = new Certificate(world.findings());
        certificate.run(options, terms, world, rooms);
        certificate.found(world);
        certificate.times(terms, world);
        return certificate;
    }

    /** Whether nothing was found. */
    public boolean isClean() {
        return findings.isEmpty();
    }

    public List<String> lines() {
        return lines;
    }

    public String json() {
        return JsonMapper.shared().writeValueAsString(facts);
    }

    private void run(Options options, Terms terms, World world, int rooms) {
        Tally tally = world.tally();
        String version = Certificate.class.getPackage().getImplementationVersion();
        say("result", isClean() ? "nothing found" : "FAILED");
        say("command", options.command());
        say("seed", options.seed());
        say("version", version == null ? "development" : version);
        say("machine", Runtime.getRuntime().availableProcessors() + " processors, Java " + Runtime.version());
        say("settings", String.join(" ", terms.flags()));
        say("people", options.clients() + " in " + rooms + " rooms, " + rooms * options.nodes() + " watchers");
        say("seconds", Math.round(world.now() / 1e9));
        say("operations", tally.operations());
        say("joins", tally.joins + ", of which answered well: " + tally.joined);
        say("heartbeats", tally.heartbeats);
        Map<String, Integer> actions = new LinkedHashMap<>();
        tally.actions.forEach((action, count) -> actions.put(action.words(), count));
        say("actions", actions);
        say("faults", tally.faults.values().stream().mapToInt(n -> n).sum());
        Map<String, Integer> faults = new LinkedHashMap<>();
        tally.faults.forEach((kind, count) -> faults.put(kind.words(), count));
        say("faultsByKind", faults);
        say("looksAtRedis", tally.looks);
        say("entriesJudged", tally.entries);
        say("lists", tally.lists);
        say("messagesToWatchers", tally.news);
        say("holesRepaired", tally.repaired);
        say("refusedWhileCalm", tally.refused);
        say("connectionsLostWhileCalm", tally.dropped);
        say("stalls of this process", "longest %.0f ms, %.1f s in all".formatted(world.pulse().longest() / 1e6, world.pulse().sum() / 1e9));
        say("servers and Redis waited for a processor", "%.1f s".formatted(world.pulse().starved() / 1e9));
    }

    private void found(World world) {
        for (Findings.Kind kind : Findings.Kind.values()) {
            say(kind.words(), findings.count(kind));
        }
        Tally tally = world.tally();
        say("longest wrong entry, past its time", "%.3f s".formatted(tally.longestGhost / 1e9));
        say(
                "nearest to its time",
                tally.closest == Stopwatch.NEVER ? "-" : "%.3f s before".formatted(tally.closest / 1e9));
    }

    private void times(Terms terms, World world) {
        lines.add("");
        lines.add("| time to truth | allowed | n | p50 | p99 | max |");
        lines.add("|---|---|---|---|---|---|");
        Map<String, Object> times = new LinkedHashMap<>();
        Map<String, String> allowed = new LinkedHashMap<>();
        allowed.put("join: seen by the others", "");
        for (Cause cause : Cause.values()) {
            allowed.put(cause.words() + ": told to the others", seconds(cause.allowed(terms)));
        }
        allowed.put(
                "presence lost: the user is told",
                seconds(terms.sweep().plus(terms.heartbeat()).plus(Cause.TELLING)));
        allowed.forEach((what, limit) -> {
            row(times, what, limit, world.tally().calm.get(what));
            row(times, what + ", with other faults or stalls", "", world.tally().broken.get(what));
        });
        facts.put("timeToTruth", times);
    }

    private void row(
            Map<String, Object> times, String what, String limit, @Nullable Samples samples) {
        if (samples == null) {
            return;
        }
        lines.add("| %s | %s | %d | %.0f ms | %.0f ms | %.0f ms |"
                .formatted(what, limit, samples.size(), samples.millis(0.5), samples.millis(0.99), samples.millis(1)));
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("n", samples.size());
        numbers.put("p50Millis", samples.millis(0.5));
        numbers.put("p99Millis", samples.millis(0.99));
        numbers.put("maxMillis", samples.millis(1));
        times.put(what, numbers);
    }

    private static String seconds(Duration time) {
        return time.toSeconds() + " s";
    }

    private void say(String name, Object value) {
        facts.put(name, value);
        lines.add("%-36s %s".formatted(name, value));
    }

    /** The story of everything that was found. */
    public List<String> stories() {
        List<String> told = new ArrayList<>();
        for (Findings.Finding finding : findings.told()) {
            told.add("");
            told.add("FOUND at " + Stopwatch.words(finding.at()) + ": "
                    + finding.kind().words() + ": " + finding.what());
            told.addAll(finding.story());
        }
        return told;
    }
}
