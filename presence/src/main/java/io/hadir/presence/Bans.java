package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Ban;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Bans users from rooms. A join checks for a ban in its own step. May be called from any thread. */
public final class Bans {
    private final BanStore store;
    private final UserListener users;
    private final Loop loop;
    private final Answers answers;

    public Bans(BanStore store, UserListener users, Loop loop) {
        this.store = store;
        this.users = users;
        this.loop = loop;
        this.answers = new Answers(loop);
    }

    /** Bans a user from a room until a time, and kicks them if they are in it. */
    public CompletionStage<Answer<Ban>> ban(Seat seat, Instant until, @Nullable String message) {
        return placed(() -> store.ban(seat, until, message));
    }

    /** Bans a user from a room for some time, and kicks them if they are in it. */
    public CompletionStage<Answer<Ban>> ban(Seat seat, Duration length, @Nullable String message) {
        return placed(() -> store.ban(seat, length, message));
    }

    /** Ends a ban; {@code not_found} if there is none. */
    public CompletionStage<Answer<Seat>> unban(Seat seat) {
        return answers.inTime(() -> store.unban(seat)
                .thenApply(was -> was
                        ? Answer.ok(seat)
                        : Answer.refused(
                                PresenceError.of(ErrorCode.NOT_FOUND, "the user is not banned from the room"))));
    }

    /** A page of a room's bans. */
    public CompletionStage<Answer<BanStore.BanPage>> list(RoomId room, @Nullable Position after, int limit) {
        return answers.inTime(() -> store.list(room, after, limit).thenApply(Answer::ok));
    }

    private CompletionStage<Answer<Ban>> placed(Supplier<CompletionStage<Answer<BanStore.Placed>>> step) {
        return answers.inTime(() -> Stages.on(loop, step.get()).thenCompose(answer -> {
            boolean removed = answer instanceof Answer.Ok<BanStore.Placed> ok
                    && ok.value().removed();
            Answer<Ban> ban = answer.map(BanStore.Placed::ban);
            return removed && ban instanceof Answer.Ok<Ban> ok
                    ? users.kicked(ok.value().seat()).thenApply(done -> ban)
                    : CompletableFuture.completedFuture(ban);
        }));
    }
}
