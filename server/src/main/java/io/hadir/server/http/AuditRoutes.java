package io.hadir.server.http;

import io.hadir.presence.inspect.AuditReport;
import io.hadir.presence.inspect.AuditReport.Finding;
import io.hadir.presence.inspect.Auditor;
import io.hadir.presence.inspect.Discrepancy;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.server.wire.Payload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /audit}: begins to hold everything against each other, and shows what came of it. */
public final class AuditRoutes {
    private static final int MOST_SHOWN = 1000;

    private final Auditor auditor;

    private AuditRoutes(Auditor auditor) {
        this.auditor = auditor;
    }

    public static void add(Api api, Auditor auditor) {
        AuditRoutes routes = new AuditRoutes(auditor);
        api.get("/audit", routes::look).post("/audit", routes::begin);
    }

    private CompletionStage<Answer<Map<String, Object>>> look(ApiCall call) {
        return auditor.look().thenApply(report -> Answer.ok(fields(report)));
    }

    private CompletionStage<Answer<Map<String, Object>>> begin(ApiCall call) {
        return call.body()
                .flatMap(Payload::repair)
                .take(repair -> auditor.begin(repair).thenApply(Answer::ok), report -> fields(Optional.of(report)));
    }

    private static Map<String, Object> fields(Optional<AuditReport> report) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("audit", report.map(AuditRoutes::audit).orElse(null));
        return message;
    }

    private static Map<String, Object> audit(AuditReport report) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("startedAt", report.startedAt().toEpochMilli());
        message.put("tookMs", report.took().toMillis());
        message.put("phase", report.phase().wire());
        message.put("repair", report.repair());
        message.put("presences", report.looked());
        message.put("passed", report.passed());
        message.put("sweepMs", report.sweep().toMillis());
        message.put("silentNodes", report.silentNodes().stream().sorted().toList());
        message.put("truncated", report.truncated());
        message.put("counts", counts(report));
        message.put("discrepancies", findings(report.discrepancies()));
        message.put("repaired", findings(report.repaired()));
        return message;
    }

    private static Map<String, Long> counts(AuditReport report) {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (Discrepancy.Kind kind : Discrepancy.Kind.values()) {
            long count = report.count(kind);
            if (count > 0) {
                counts.put(kind.wire(), count);
            }
        }
        return counts;
    }

    private static List<Map<String, Object>> findings(List<Finding> findings) {
        return findings.stream().limit(MOST_SHOWN).map(AuditRoutes::finding).toList();
    }

    private static Map<String, Object> finding(Finding finding) {
        Discrepancy discrepancy = finding.discrepancy();
        RoomId room = discrepancy.room();
        UserId user = discrepancy.user();
        SocketId socket = discrepancy.socket();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("kind", discrepancy.kind().wire());
        message.put("roomId", room == null ? null : room.value());
        message.put("userId", user == null ? null : user.value());
        message.put("socketId", socket == null ? null : socket.value());
        message.put("ageMs", finding.age().toMillis());
        message.put("cause", discrepancy.kind().cause());
        return message;
    }
}
