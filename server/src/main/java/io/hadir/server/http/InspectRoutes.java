package io.hadir.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import io.hadir.presence.inspect.AuditReport;
import io.hadir.presence.inspect.Auditor;
import io.hadir.presence.inspect.Discrepancy;
import io.hadir.presence.inspect.Explainer;
import io.hadir.presence.inspect.Explanation;
import io.hadir.presence.inspect.SeatRecord;
import io.hadir.presence.inspect.SeatRecord.LivePresence;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.server.wire.RefusedException;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code /rooms/{roomId}/participants/{userId}/explain}: why a user is listed or not. {@code /audit}: starts an audit,
 * and shows the current or last one.
 */
public final class InspectRoutes {
    private static final int MOST_FINDINGS = 1000;

    private final Explainer explainer;
    private final Auditor auditor;

    private InspectRoutes(Explainer explainer, Auditor auditor) {
        this.explainer = explainer;
        this.auditor = auditor;
    }

    public static void add(Api api, Explainer explainer, Auditor auditor) {
        InspectRoutes routes = new InspectRoutes(explainer, auditor);
        api.get("/rooms/{roomId}/participants/{userId}/explain", routes::explain)
                .get("/audit", routes::showAudit)
                .post("/audit", routes::startAudit);
    }

    private record Seat(
            String roomId,
            String userId,
            long serverTime,
            String key,
            boolean present,
            boolean listed,
            @Nullable Presence presence,
            List<Transition> history) {
        static Seat of(Explanation explanation) {
            SeatRecord record = explanation.record();
            LivePresence presence = record.presence();
            return new Seat(
                    record.seat().room().value(),
                    record.seat().user().value(),
                    record.seenAt().toEpochMilli(),
                    record.key(),
                    presence != null,
                    record.listed(),
                    presence == null ? null : Presence.of(presence, explanation),
                    record.history().stream().map(Transition::of).toList());
        }
    }

    private record Presence(
            String username,
            String socketId,
            @Nullable Long expiresAt,
            long joinedAt,
            long lastActiveAt,
            String state,

            @JsonRawValue @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String data,

            boolean inGrace,
            boolean held,
            List<Socket> sockets) {
        static Presence of(LivePresence presence, Explanation explanation) {
            Instant expiresAt = presence.expiresAt();
            return new Presence(
                    presence.participant().username(),
                    presence.named().value(),
                    expiresAt == null ? null : (Long) expiresAt.toEpochMilli(),
                    presence.participant().joinedAt().toEpochMilli(),
                    presence.participant().lastActiveAt().toEpochMilli(),
                    presence.participant().state().wire(),
                    presence.participant().data(),
                    presence.sockets().isEmpty() && !presence.held(),
                    presence.held(),
                    presence.sockets().stream()
                            .sorted(Comparator.comparing(SocketId::value))
                            .map(socket ->
                                    Socket.of(socket, explanation.aliveNodes().orElse(null)))
                            .toList());
        }
    }

    /** @param nodeAlive null if the leases could not be read */
    private record Socket(
            String socketId, String nodeId, @Nullable Boolean nodeAlive) {
        static Socket of(SocketId socket, @Nullable Set<String> aliveNodes) {
            return new Socket(
                    socket.value(),
                    socket.node(),
                    aliveNodes == null ? null : (Boolean) aliveNodes.contains(socket.node()));
        }
    }

    private record Transition(
            long at,
            String what,
            @Nullable String reason,
            @Nullable String socketId,
            String nodeId) {
        static Transition of(io.hadir.presence.inspect.Transition transition) {
            SocketId socket = transition.socket();
            RemovalReason reason = transition.reason();
            return new Transition(
                    transition.at().toEpochMilli(),
                    transition.kind().wire(),
                    reason == null ? null : reason.wire(),
                    socket == null ? null : socket.value(),
                    transition.node());
        }
    }

    private CompletionStage<Answer<Seat>> explain(ApiCall call) throws RefusedException {
        return explainer.explain(call.seat()).thenApply(answer -> answer.map(Seat::of));
    }

    /** @param audit null if this node has not audited yet */
    private record AuditAnswer(@Nullable Audit audit) {}

    private record Audit(
            long startedAt,
            long tookMs,
            String phase,
            boolean repair,
            long presences,
            long passed,
            long sweepMs,
            List<String> silentNodes,
            boolean truncated,
            Map<String, Long> counts,
            List<Finding> discrepancies,
            List<Finding> repaired) {
        static Audit of(AuditReport report) {
            return new Audit(
                    report.startedAt().toEpochMilli(),
                    report.took().toMillis(),
                    report.phase().wire(),
                    report.repair(),
                    report.inspected(),
                    report.passed(),
                    report.sweep().toMillis(),
                    report.silentNodes().stream().sorted().toList(),
                    report.truncated(),
                    counts(report),
                    Finding.of(report.discrepancies()),
                    Finding.of(report.repaired()));
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
    }

    private record Finding(
            String kind,
            @Nullable String roomId,
            @Nullable String userId,
            @Nullable String socketId,
            long ageMs,
            String cause) {
        static List<Finding> of(List<AuditReport.Finding> findings) {
            return findings.stream().limit(MOST_FINDINGS).map(Finding::of).toList();
        }

        private static Finding of(AuditReport.Finding finding) {
            Discrepancy discrepancy = finding.discrepancy();
            RoomId room = discrepancy.room();
            UserId user = discrepancy.user();
            SocketId socket = discrepancy.socket();
            return new Finding(
                    discrepancy.kind().wire(),
                    room == null ? null : room.value(),
                    user == null ? null : user.value(),
                    socket == null ? null : socket.value(),
                    finding.age().toMillis(),
                    discrepancy.kind().cause());
        }
    }

    private CompletionStage<Answer<AuditAnswer>> showAudit(ApiCall call) {
        return auditor.report()
                .thenApply(report ->
                        Answer.ok(new AuditAnswer(report.map(Audit::of).orElse(null))));
    }

    private CompletionStage<Answer<AuditAnswer>> startAudit(ApiCall call) throws RefusedException {
        boolean repair = call.body().flag("repair", false);
        CompletionStage<Answer<AuditAnswer>> started =
                auditor.begin(repair).thenApply(report -> Answer.ok(new AuditAnswer(Audit.of(report))));
        return repair ? call.logged("Started an audit that repairs", started) : started;
    }
}
