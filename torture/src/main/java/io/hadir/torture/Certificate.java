package io.hadir.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** What a run did and saw, in words and as JSON. */
public final class Certificate {
    private final Map<String, Map<String, Object>> sections = new LinkedHashMap<>();
    private final List<Row> times = new ArrayList<>();
    private final Findings findings;

    /** A line of the table of times. */
    private record Row(String what, String allowed, Samples samples) {}

    private Certificate(Findings findings) {
        this.findings = findings;
    }

    static Certificate of(Options options, Terms terms, World world, int rooms) {
        Certificate certificate = new Certificate(world.findings());
        certificate.run(options, terms, world, rooms);
        certificate.done(world.tally());
        certificate.seen(world);
        certificate.found(world.tally());
        certificate.times(terms, world.tally());
        return certificate;
    }

    /** Whether nothing was found. */
    public boolean isClean() {
        return findings.isEmpty();
    }

    private void run(Options options, Terms terms, World world, int rooms) {
        String version = Certificate.class.getPackage().getImplementationVersion();
        Map<String, Object> run = section("run");
        run.put("result", isClean() ? "nothing found" : "FAILED");
        run.put("command", options.command());
        run.put("seed", options.seed());
        run.put("version", version == null ? "development" : version);
        run.put(
                "machine",
                Runtime.getRuntime().availableProcessors() + " processors, Java "
                        + Runtime.version().feature());
        run.put("settings", String.join(" ", terms.flags()));
        run.put("people", options.clients());
        run.put("rooms", rooms);
        run.put("watchers", rooms * options.nodes());
        run.put("seconds", Math.round(world.now() / 1e9));
    }

    private void done(Tally tally) {
        Map<String, Object> operations = section("operations");
        operations.put("all", tally.operations());
        operations.put("join", tally.joins);
        operations.put("heartbeat", tally.heartbeats);
        tally.actions.forEach((action, count) -> operations.put(action.words(), count));
        Map<String, Object> faults = section("faults");
        faults.put("all", tally.faults.values().stream().mapToInt(n -> n).sum());
        tally.faults.forEach((kind, count) -> faults.put(kind.words(), count));
    }

    private void seen(World world) {
        Tally tally = world.tally();
        Map<String, Object> seen = section("seen");
        seen.put("looks at the keys in Redis", tally.looks);
        seen.put("keys judged", tally.entries);
        seen.put("lists of servers judged", tally.lists);
        seen.put("lists judged right after a deletion", tally.afterDeletion);
        seen.put("users of servers judged", tally.users);
        seen.put("messages to watchers", tally.news);
        seen.put("holes repaired by listing again", tally.repaired);
        seen.put("refused while nothing was broken", new TreeMap<>(tally.refused));
        seen.put("connections lost while nothing was broken", tally.dropped);
        seen.put(
                "longest standstill of this process, ms",
                Math.round(world.pulse().longest() / 1e6));
        seen.put("all of them, s", Math.round(world.pulse().sum() / 1e9));
        seen.put(
                "servers and Redis waited for a processor, s",
                Math.round(world.pulse().starved() / 1e9));
    }

    private void found(Tally tally) {
        Map<String, Object> found = section("found");
        for (Findings.Kind kind : Findings.Kind.values()) {
            found.put(kind.words(), findings.count(kind));
        }
        found.put("longest life of a wrong entry past its time, ms", Math.round(tally.longestGhost / 1e6));
    }

    private void times(Terms terms, Tally tally) {
        times(tally, Judge.JOIN_SEEN, "");
        for (Cause cause : Cause.values()) {
            times(tally, Judge.told(cause), seconds(cause.allowed(terms)));
        }
        times(
                tally,
                Visitor.LOST_TOLD,
                seconds(terms.sweep().plus(terms.heartbeat()).plus(Cause.TELLING)));
    }

    private void times(Tally tally, String what, String allowed) {
        add(what, allowed, tally.calm.get(what));
        add(what + ", with faults or a starved machine", "", tally.broken.get(what));
    }

    private void add(String what, String allowed, @Nullable Samples samples) {
        if (samples != null) {
            times.add(new Row(what, allowed, samples));
        }
    }

    private static String seconds(Duration time) {
        return time.toSeconds() + " s";
    }

    private Map<String, Object> section(String name) {
        return sections.computeIfAbsent(name, made -> new LinkedHashMap<>());
    }

    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        sections.forEach((name, facts) -> {
            lines.add(name);
            facts.forEach((what, value) -> lines.add("  %-46s %s".formatted(what, value)));
            lines.add("");
        });
        lines.add("| time to truth | allowed | n | p50 | p99 | max |");
        lines.add("|---|---|---|---|---|---|");
        for (Row row : times) {
            lines.add("| %s | %s | %d | %.0f ms | %.0f ms | %.0f ms |"
                    .formatted(
                            row.what,
                            row.allowed,
                            row.samples.size(),
                            row.samples.millis(0.5),
                            row.samples.millis(0.99),
                            row.samples.millis(1)));
        }
        return lines;
    }

    public String json() {
        Map<String, Object> all = new LinkedHashMap<>(sections);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Row row : times) {
            Map<String, Object> numbers = new LinkedHashMap<>();
            numbers.put("what", row.what);
            numbers.put("allowed", row.allowed);
            numbers.put("n", row.samples.size());
            numbers.put("p50Millis", row.samples.millis(0.5));
            numbers.put("p99Millis", row.samples.millis(0.99));
            numbers.put("maxMillis", row.samples.millis(1));
            rows.add(numbers);
        }
        all.put("timeToTruth", rows);
        all.put("stories", stories());
        return JsonMapper.shared().writeValueAsString(all);
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
