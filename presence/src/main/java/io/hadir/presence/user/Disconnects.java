package io.hadir.presence.user;

import io.hadir.presence.Presence;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.UserStore.Disconnected;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Disconnects users everywhere: closes their sockets on all nodes and kicks them from their rooms. */
public final class Disconnects {
    private static final int AT_ONCE = 50;

    private final Users users;
    private final Presence presence;
    private final Duration revocation;

    /** @param revocation how long to remember that tokens are revoked; no token may live longer */
    public Disconnects(Users users, Presence presence, Duration revocation) {
        this.users = users;
        this.presence = presence;
        this.revocation = revocation;
    }

    /**
     * Disconnects a user. An answer of {@code presence_unavailable} means that it may have happened in part;
     * repeating it is safe.
     *
     * @param message the text for the user, null for the standard text
     * @param revoke whether to refuse the user's tokens that were issued until now
     */
    public CompletionStage<Answer<Disconnected>> disconnect(UserId user, @Nullable String message, boolean revoke) {
        return users.disconnect(user, message, revoke ? revocation : null).thenCompose(disconnected -> {
            if (!(disconnected instanceof Answer.Ok)) {
                return CompletableFuture.completedFuture(disconnected);
            }
            // Sockets leave their rooms when their nodes disconnect them. Presences without a socket, as in the grace
            // period, have to be kicked.
            return users.rooms(user)
                    .thenCompose(rooms -> rooms instanceof Answer.Ok<List<RoomId>> ok
                            ? kick(user, ok.value(), message)
                            : CompletableFuture.completedFuture(false))
                    .thenApply(kicked -> kicked ? disconnected : Answer.refused(PresenceError.unavailable()));
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
