package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
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
    private final UserVisits visits;

    Steps(Loop loop, Memberships memberships, UserVisits visits) {
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
        return queued(socket, step, Session::inOrder);
    }

    /** Sends a heartbeat of a socket, together with those right before it. */
    <T> CompletionStage<Answer<T>> heartbeat(SocketId socket, Function<Session, CompletionStage<Answer<T>>> step) {
        return queued(socket, (session, reply) -> step.apply(session), Session::besideHeartbeats);
    }

    /** One of the ways to wait for the steps before. */
    private interface Queue<T> {
        CompletionStage<Answer<T>> take(Session session, Supplier<CompletionStage<Answer<T>>> step);
    }

    private <T> CompletionStage<Answer<T>> queued(
            SocketId socket, BiFunction<Session, Reply<T>, CompletionStage<Answer<T>>> step, Queue<T> queue) {
        CompletableFuture<Answer<T>> answer = new CompletableFuture<>();
        loop.execute(() -> {
            Session session = memberships.session(socket);
            if (session == null) {
                // The socket is gone, removed a moment ago perhaps: it is in no room.
                answer.complete(Answer.refused(PresenceError.notInRoom()));
                return;
            }
            Reply<T> reply = new Reply<>(loop, answer, () -> session.wasAnsweredWithin(Reply.inTime(), loop.nanos()));
            reply.giveAfter(queue.take(session, () -> {
                reply.begin();
                return step.apply(session, reply).whenComplete((value, failed) -> {
                    if (failed == null && !isUnavailable(value)) {
                        session.answered(loop.nanos());
                    }
                });
            }));
        });
        return answer;
    }

    private static boolean isUnavailable(Answer<?> answer) {
        return answer instanceof Answer.Refused<?> refused && refused.error().code() == ErrorCode.PRESENCE_UNAVAILABLE;
    }

    /** Takes a step that needs no answer, if the socket is still there. */
    CompletionStage<Void> inOrderIfThere(SocketId socket, Function<Session, CompletionStage<Void>> step) {
        return CompletableFuture.supplyAsync(() -> Optional.ofNullable(memberships.session(socket)), loop)
                .thenCompose(session -> session.isPresent()
                        ? session.get().inOrder(() -> step.apply(session.get()))
                        : CompletableFuture.completedFuture(null));
    }

    <T> CompletionStage<Answer<T>> inTime(Supplier<CompletionStage<Answer<T>>> step) {
        Reply<T> reply = new Reply<>(loop);
        loop.execute(() -> reply.giveAfter(step.get()));
        return reply.stage();
    }

    private static <T> CompletionStage<Answer<T>> refused(PresenceError error) {
        return CompletableFuture.completedFuture(Answer.refused(error));
    }
}
