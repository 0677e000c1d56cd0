package io.hadir.server.events;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.UserId;
import io.hadir.server.auth.Token;
import io.hadir.server.auth.TokenProblem;
import io.hadir.server.auth.Tokens;
import io.hadir.server.wire.Fields;
import io.hadir.server.wire.Payload;
import io.hadir.socketio.Admission;
import io.hadir.socketio.Handshake;
import io.hadir.socketio.Socket;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who gets in, as whom, and until when: by tokens; or in open mode by the client's own word, which is {@code auth.userId}
 * or the first accepted event that names a user.
 */
public final class Gate {
    static final String REFRESH = "auth:refresh";

    private static final PresenceError BAD_TOKEN =
            PresenceError.of(ErrorCode.UNAUTHENTICATED, "the token is not valid; the one before goes on");
    private static final PresenceError OTHER_USER =
            PresenceError.of(ErrorCode.FORBIDDEN, "the token is another user's; the one before goes on");
    private static final PresenceError NO_TOKENS =
            PresenceError.of(ErrorCode.NOT_FOUND, "This server is in open mode and knows no tokens.");

    private final @Nullable Tokens tokens;
    private final Deadlines deadlines;

    /** @param tokens null in open mode */
    public Gate(@Nullable Tokens tokens, InstantSource clock) {
        this.tokens = tokens;
        this.deadlines = new Deadlines(clock);
    }

    /** From now on sockets are closed when their tokens have run out. */
    public void start(Loop loop) {
        if (tokens != null) {
            deadlines.start(loop);
        }
    }

    /** Lets a client in as somebody, or not. */
    CompletionStage<Admission> admit(Handshake handshake) {
        Payload auth = new Payload(handshake.auth());
        if (!(auth.userId() instanceof Answer.Ok<Optional<UserId>> named)) {
            return CompletableFuture.completedFuture(refused(ErrorCode.INVALID_ARGUMENT));
        }
        if (tokens == null) {
            Identity identity = new Identity();
            named.value().ifPresent(identity::settle);
            return CompletableFuture.completedFuture(Admission.accepted(identity));
        }
        if (!(auth.token() instanceof Answer.Ok<String> given)) {
            tokens.refuse(TokenProblem.MISSING);
            return CompletableFuture.completedFuture(refused(ErrorCode.UNAUTHENTICATED));
        }
        return tokens.check(given.value())
                .thenApply(checked -> checked.map(token -> admit(token, named.value()))
                        .orElseGet(() -> refused(ErrorCode.UNAUTHENTICATED)));
    }

    private static Admission admit(Token token, Optional<UserId> named) {
        return named.isPresent() && !named.get().equals(token.user())
                ? refused(ErrorCode.FORBIDDEN)
                : Admission.accepted(new Identity(token));
    }

    /** When a token was issued, as far as revoking it goes: one that does not say so was issued before everything. */
    static Instant issued(Token token) {
        return token.issuedAt().orElse(Instant.EPOCH);
    }

    /** Refuses a client whose token is good by itself. If it is revoked, its client learns no more than of a bad one. */
    Admission refuseKnown(PresenceError error) {
        if (tokens == null || error.code() != ErrorCode.UNAUTHENTICATED) {
            return refused(error);
        }
        tokens.refuse(TokenProblem.REVOKED);
        return refused(ErrorCode.UNAUTHENTICATED);
    }

    static Admission refused(ErrorCode code) {
        return Admission.refused(code.wire(), Map.of("code", code.wire()));
    }

    static Admission refused(PresenceError error) {
        return Admission.refused(error.code().wire(), Fields.error(error));
    }

    void opened(Socket socket, Identity identity) {
        identity.token().ifPresent(token -> deadlines.add(socket, token.endsAt()));
    }

    void gone(Socket socket, Identity identity) {
        identity.token().ifPresent(token -> deadlines.remove(socket, token.endsAt()));
    }

    /**
     * Puts a new token in the place of the one that a socket came with.
     *
     * @param notRevoked whether a good token of the same user may be used
     */
    CompletionStage<Answer<Token>> refresh(
            Socket socket, Identity identity, Payload payload, Function<Token, CompletionStage<Boolean>> notRevoked) {
        if (tokens == null) {
            return CompletableFuture.completedFuture(Answer.refused(NO_TOKENS));
        }
        if (!(payload.token() instanceof Answer.Ok<String> given)) {
            return CompletableFuture.completedFuture(payload.token().flatMap(text -> Answer.refused(BAD_TOKEN)));
        }
        return tokens.check(given.value()).thenCompose(checked -> {
            if (checked.isEmpty()) {
                return CompletableFuture.completedFuture(Answer.refused(BAD_TOKEN));
            }
            Token token = checked.get();
            if (!identity.user().equals(Optional.of(token.user()))) {
                return CompletableFuture.completedFuture(Answer.refused(OTHER_USER));
            }
            return notRevoked.apply(token).thenApply(good -> {
                if (!good) {
                    tokens.refuse(TokenProblem.REVOKED);
                    return Answer.refused(BAD_TOKEN);
                }
                return Answer.ok(renew(socket, identity, token));
            });
        });
    }

    private Token renew(Socket socket, Identity identity, Token token) {
        synchronized (identity) {
            gone(socket, identity);
            identity.renew(token);
            opened(socket, identity);
        }
        return token;
    }
}
