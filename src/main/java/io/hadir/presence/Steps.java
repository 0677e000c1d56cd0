package io.hadir.presence;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** How steps are taken: on the loop, in the order of their socket, and with an answer in time. */
final class Steps {
    private final Loop loop;
    private final Memberships memberships;
    private final Visits visits;

    Steps(Loop loop, Memberships memberships, Visits visits) {
        this.loop = loop;
        this.memberships = memberships;
        this.visits = visits;
    }

    /** Takes a step of a socket for a user, if the socket may be the user's. */
    <T> CompletionStage<Answer<T>> inOrder(
            SocketId socket, UserId user, BiFunction<Session, Reply<T>, CompletionStage<Answer<T>>> step) {
        return inOrder(
                socket,
                (session, reply) -> visits.admit(socket, user)
                        .thenCompose(admitted -> admitted instanceof Answer.Refused<UserId> refused
                                ? refused(refused.error())
                                : step.apply(session, reply)));
    }

    <T> CompletionStage<Answer<T>> inOrder(
            SocketId socket, BiFunction<Session, Reply<T>, CompletionStage<Answer<T>>> step) {
        CompletableFuture<Answer<T>> answer = new CompletableFuture<>();
        loop.execute(() -> {
            Reply<T> reply = new Reply<>(loop, answer);
            Session session = memberships.session(socket);
            if (session == null) {
                // The socket is gone, put out a moment ago perhaps: it is in no room.
                reply.giveAfter(refused(PresenceError.notInRoom()));
            } else {
                reply.giveAfter(session.inOrder(() -> step.apply(session, reply)));
            }
        });
        return answer;
    }

    /** Takes a step that needs no answer, if the socket is still there. */
    CompletionStage<Void> inOrderIfThere(SocketId socket, Function<Session, CompletionStage<Void>> step) {
        return CompletableFuture.supplyAsync(() -> Optional.ofNullable(memberships.session(socket)), loop)
                .thenCompose(session -> session.isPresent()
                        ? session.get().inOrder(() -> step.apply(session.get()))
                        : CompletableFuture.completedFuture(null));
    }

    <T> CompletionStage<Answer<T>> inTime(Supplier<CompletionStage<Answer<T>>> step) {
        CompletableFuture<Answer<T>> answer = new CompletableFuture<>();
        loop.execute(() -> new Reply<>(loop, answer).giveAfter(step.get()));
        return answer;
    }

    private static <T> CompletionStage<Answer<T>> refused(PresenceError error) {
        return CompletableFuture.completedFuture(Answer.refused(error));
    }
}
