package io.hadir.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.stats.RecentChanges;
import io.hadir.presence.stats.RecentChanges.Change;
import io.hadir.server.wire.RefusedException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code /changes}: who joined and left lately. {@code /actions}: what callers of this API changed lately. {@code
 * /access}: what the caller's key permits.
 */
public final class RecentRoutes {
    private final RecentChanges changes;
    private final ActionLog actions;

    private RecentRoutes(RecentChanges changes, ActionLog actions) {
        this.changes = changes;
        this.actions = actions;
    }

    public static void add(Api api, RecentChanges changes, ActionLog actions) {
        RecentRoutes routes = new RecentRoutes(changes, actions);
        api.get("/changes", routes::changes).get("/actions", routes::actions).get("/access", routes::access);
    }

    private record Changes(List<ChangeJson> changes) {
        static Changes of(List<Change> changes) {
            return new Changes(changes.stream().map(ChangeJson::of).toList());
        }
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record ChangeJson(
            String id,
            long at,
            String what,
            @Nullable String roomId,
            @Nullable String userId,
            @Nullable String reason,
            @Nullable Long count) {
        static ChangeJson of(Change change) {
            Seat seat = change.seat();
            RemovalReason reason = change.reason();
            long at = change.at().toEpochMilli();
            if (seat == null) {
                return new ChangeJson(change.id(), at, "skipped", null, null, null, change.skipped());
            }
            return new ChangeJson(
                    change.id(),
                    at,
                    reason == null ? "joined" : "left",
                    seat.room().value(),
                    seat.user().value(),
                    reason == null ? null : reason.wire(),
                    null);
        }
    }

    private CompletionStage<Answer<Changes>> changes(ApiCall call) throws RefusedException {
        RoomId room = call.query().roomId();
        int limit = call.query().limit();
        return changes.latest(room, limit).thenApply(answer -> answer.map(Changes::of));
    }

    private record Actions(List<ActionJson> actions) {
        static Actions of(List<ActionLog.Action> actions) {
            return new Actions(actions.stream().map(ActionJson::of).toList());
        }
    }

    private record ActionJson(String id, long at, String what, String key, String address) {
        static ActionJson of(ActionLog.Action action) {
            return new ActionJson(
                    action.id(), action.at().toEpochMilli(), action.what(), action.key(), action.address());
        }
    }

    private CompletionStage<Answer<Actions>> actions(ApiCall call) throws RefusedException {
        return actions.latest(call.query().limit()).thenApply(answer -> answer.map(Actions::of));
    }

    private record Access(boolean mayChange) {}

    private CompletionStage<Answer<Access>> access(ApiCall call) {
        return CompletableFuture.completedFuture(Answer.ok(new Access(call.mayChange())));
    }
}
