package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import io.hadir.torture.Findings.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The result of a run, as text and as JSON. */
final class Certificate {
    private final Map<String, Map<String, Object>> sections = new LinkedHashMap<>();
    private final List<Row> times = new ArrayList<>();
    private final Findings findings;

    /** A row of the table of times. */
    private record Row(String what, String allowed, Statistics.Durations durations) {}

    private Certificate(Findings findings) {
        this.findings = findings;
    }

    static Certificate of(Options options, Run run, int rooms) {
        Certificate certificate = new Certificate(run.findings());
        certificate.addRun(options, run, rooms);
        certificate.addOperationsAndFaults(run.statistics());
        certificate.addSeen(run);
        certificate.addFound(run.statistics());
        certificate.addTimes(run.settings(), run.statistics());
        return certificate;
    }

    /** Whether nothing was found. */
    boolean isClean() {
        return findings.isEmpty();
    }

    private void addRun(Options options, Run run, int rooms) {
        String version = Certificate.class.getPackage().getImplementationVersion();
        Map<String, Object> facts = section("run");
        facts.put("result", isClean() ? "nothing found" : "FAILED");
        facts.put("command", options.command());
        facts.put("seed", options.seed());
        facts.put("version", version == null ? "development" : version);
        facts.put(
                "machine",
                Runtime.getRuntime().availableProcessors() + " processors, Java "
                        + Runtime.version().feature());
        facts.put("settings", String.join(" ", run.settings().flags()));
        facts.put("people", options.clients());
        facts.put("rooms", rooms);
        facts.put("watchers", rooms * options.nodes());
        facts.put("seconds", Math.round(run.now() / 1e9));
    }

    private void addOperationsAndFaults(Statistics statistics) {
        Map<String, Object> operations = section("operations");
        operations.put("all", statistics.operations());
        operations.put("join", statistics.joins);
        operations.put("heartbeat", statistics.heartbeats);
        statistics.actions.forEach((action, count) -> operations.put(action.words(), count));
        Map<String, Object> faults = section("faults");
        faults.put("all", statistics.faults());
        statistics.faults.forEach((kind, count) -> faults.put(kind.description(), count));
    }

    private void addSeen(Run run) {
        Statistics statistics = run.statistics();
        Map<String, Object> seen = section("seen");
        seen.put("looks at the keys in Redis", statistics.snapshots);
        seen.put("keys judged", statistics.presences);
        seen.put("lists of servers judged", statistics.lists);
        seen.put("lists judged right after a deletion", statistics.listsAfterDeletion);
        seen.put("users of servers judged", statistics.statuses);
        seen.put("messages to watchers", statistics.messages);
        seen.put("holes repaired by listing again", statistics.gaps);
        seen.put("refused while nothing was broken", new TreeMap<>(statistics.refused));
        seen.put("connections lost while nothing was broken", statistics.disconnects);
        seen.put(
                "longest standstill of this process, ms",
                Math.round(run.stalls().longest() / 1e6));
        seen.put("all of them, s", Math.round(run.stalls().total() / 1e9));
        seen.put(
                "servers and Redis waited for a processor, s",
                Math.round(run.stalls().cpuWait() / 1e9));
    }

    private void addFound(Statistics statistics) {
        Map<String, Object> found = section("found");
        for (Kind kind : Kind.values()) {
            found.put(kind.words(), findings.count(kind));
        }
        found.put("longest life of a wrong entry past its time, ms", Math.round(statistics.longestGhost / 1e6));
    }

    private void addTimes(ServerSettings settings, Statistics statistics) {
        addTimes(statistics, Judge.JOIN_SEEN, "");
        for (Cause cause : Cause.values()) {
            addTimes(statistics, Judge.told(cause), seconds(cause.allowed(settings)));
        }
        addTimes(statistics, RoomClient.LOSS_TOLD, seconds(settings.lossAnnounced()));
    }

    private void addTimes(Statistics statistics, String what, String allowed) {
        addRow(what, allowed, statistics.calm.get(what));
        addRow(what + ", with faults or a busy machine", "", statistics.disturbed.get(what));
    }

    private void addRow(String what, String allowed, Statistics.@Nullable Durations durations) {
        if (durations != null) {
            times.add(new Row(what, allowed, durations));
        }
    }

    private static String seconds(Duration time) {
        return time.toSeconds() + " s";
    }

    private Map<String, Object> section(String name) {
        return sections.computeIfAbsent(name, made -> new LinkedHashMap<>());
    }

    List<String> lines() {
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
                            row.durations.size(),
                            row.durations.millis(0.5),
                            row.durations.millis(0.99),
                            row.durations.millis(1)));
        }
        return lines;
    }

    String json() {
        Map<String, Object> all = new LinkedHashMap<>(sections);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Row row : times) {
            Map<String, Object> numbers = new LinkedHashMap<>();
            numbers.put("what", row.what);
            numbers.put("allowed", row.allowed);
            numbers.put("n", row.durations.size());
            numbers.put("p50Millis", row.durations.millis(0.5));
            numbers.put("p99Millis", row.durations.millis(0.99));
            numbers.put("maxMillis", row.durations.millis(1));
            rows.add(numbers);
        }
        all.put("timeToTruth", rows);
        all.put("stories", histories());
        return JsonMapper.shared().writeValueAsString(all);
    }

    /** The first findings, each with the events that led to it. */
    List<String> histories() {
        List<String> lines = new ArrayList<>();
        for (Findings.Finding finding : findings.first()) {
            lines.add("");
            lines.add(finding.toString());
            lines.addAll(finding.history());
        }
        return lines;
    }
}
