package io.hadir.presence.user;

import io.hadir.presence.Presence;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.UserStore.Expelled;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Disconnects users: closes their sockets on all nodes, and kicks them from their rooms. */
public final class Disconnects {
    private static final int AT_ONCE = 50;

    private final Users users;
    private final Presence presence;
    private final Duration revocation;

    /**
     * For these users.
     *
     * @param revocation how long tokens can live that were issued before they were revoked
     */
    public Disconnects(Users users, Presence presence, Duration revocation) {
        this.users = users;
        this.presence = presence;
        this.revocation = revocation;
    }

    /**
     * Disconnects a user. If it is not available, some of it may have been done, and it may be asked for again.
     *
     * @param message what the user is told, null for the usual words
     * @param revoke whether to refuse the user's tokens that were issued until now
     */
    public CompletionStage<Answer<Expelled>> disconnect(UserId user, @Nullable String message, boolean revoke) {
        return users.expel(user, message, revoke ? revocation : null).thenCompose(expelled -> {
            if (!(expelled instanceof Answer.Ok)) {
                return CompletableFuture.completedFuture(expelled);
            }
            // Sockets leave their rooms with their nodes. Presences without a socket, as in the grace, are left to
            // kick.
            return users.rooms(user)
                    .thenCompose(rooms -> rooms instanceof Answer.Ok<List<RoomId>> ok
                            ? kick(user, ok.value(), message)
                            : CompletableFuture.completedFuture(false))
                    .thenApply(kicked -> kicked ? expelled : Answer.refused(PresenceError.unavailable()));
        });
    }

    /** Completes with whether the user is certainly in none of the rooms. */
    private CompletionStage<Boolean> kick(UserId user, List<RoomId> rooms, @Nullable String message) {
        AtomicBoolean out = new AtomicBoolean(true);
        return Stages.inBatches(
                        rooms,
                        AT_ONCE,
                        room -> presence.kick(room, user, message).thenAccept(answer -> {
                            if (!isOut(answer)) {
                                out.set(false);
                            }
                        }))
                .thenApply(done -> out.get());
    }

    private static boolean isOut(Answer<Seat> kicked) {
        return kicked instanceof Answer.Ok
                || (kicked instanceof Answer.Refused<Seat> refused
                        && refused.error().code() == ErrorCode.NOT_FOUND);
    }
}
