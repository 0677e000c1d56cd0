package io.hadir.server.events;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.server.auth.Token;
import io.hadir.server.auth.TokenProblem;
import io.hadir.server.auth.Tokens;
import io.hadir.server.wire.ErrorJson;
import io.hadir.server.wire.Language;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
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
 * Decides who may connect, as which user and until when. Tokens prove it. Open mode believes {@code auth.userId}, or
 * the first accepted event that names a user.
 */
public final class Gate {
    static final String REFRESH = "auth:refresh";

    private static final PresenceError BAD_TOKEN =
            PresenceError.of(ErrorCode.UNAUTHENTICATED, "the token is not valid; the previous one stays in use");
    private static final PresenceError OTHER_USER =
            PresenceError.of(ErrorCode.FORBIDDEN, "the token belongs to another user; the previous one stays in use");
    private static final PresenceError NO_TOKENS =
            PresenceError.of(ErrorCode.NOT_FOUND, "This server is in open mode and has no tokens.");

    private static final PresenceError NO_TOKEN =
            PresenceError.of(ErrorCode.NOT_FOUND, "This socket is behind a trunk and has no token.");

    private final @Nullable Tokens tokens;
    private final Deadlines deadlines;

    /** @param tokens null in open mode */
    public Gate(@Nullable Tokens tokens, InstantSource clock) {
        this.tokens = tokens;
        this.deadlines = new Deadlines(clock);
    }

    /** Starts to close sockets whose tokens expire. */
    public void start(Loop loop) {
        if (tokens != null) {
            deadlines.start(loop);
        }
    }

    /** Admits or refuses a client. The attachment of an admission is an {@link Identity}. */
    CompletionStage<Admission> admit(Handshake handshake) {
        Payload auth = new Payload(handshake.auth());
        UserId named;
        try {
            named = auth.userId();
        } catch (RefusedException invalid) {
            return CompletableFuture.completedFuture(refused(ErrorCode.INVALID_ARGUMENT));
        }
        if (tokens == null) {
            Identity identity = new Identity(auth.language());
            if (named != null) {
                identity.settle(named);
            }
            return CompletableFuture.completedFuture(Admission.accepted(identity));
        }
        String given;
        try {
            given = auth.token();
        } catch (RefusedException missing) {
            tokens.refuse(TokenProblem.MISSING);
            return CompletableFuture.completedFuture(refused(ErrorCode.UNAUTHENTICATED));
        }
        return tokens.check(given)
                .thenApply(checked -> checked.map(token -> admit(token, named, auth.language()))
                        .orElseGet(() -> refused(ErrorCode.UNAUTHENTICATED)));
    }

    private static Admission admit(Token token, @Nullable UserId named, @Nullable Language language) {
        return named == null || named.equals(token.user())
                ? Admission.accepted(new Identity(token, language))
                : refused(ErrorCode.FORBIDDEN);
    }

    /** The username that the client chose; null if it chose none or its token decides. */
    @Nullable
    Username username(Payload payload) throws RefusedException {
        return tokens == null || tokens.letClientsChooseNames() ? payload.username() : null;
    }

    /** When a token was issued. A token that does not say so counts as older than any revocation. */
    static Instant issued(Token token) {
        return token.issuedAt().orElse(Instant.EPOCH);
    }

    /** Refuses a client with a valid token. A client with a revoked token learns no more than one with a bad token. */
    Admission refuseKnown(PresenceError error) {
        if (tokens == null || error.code() != ErrorCode.UNAUTHENTICATED) {
            return refused(error);
        }
        tokens.refuse(TokenProblem.REVOKED);
        return refused(ErrorCode.UNAUTHENTICATED);
    }

    private static Admission refused(ErrorCode code) {
        return Admission.refused(code.wire(), Map.of("code", code.wire()));
    }

    private static Admission refused(PresenceError error) {
        return Admission.refused(error.code().wire(), ErrorJson.of(error));
    }

    /** From now on the socket is closed when its token expires. */
    void watch(Socket socket, Identity identity) {
        identity.token().ifPresent(token -> deadlines.add(socket, token.endsAt()));
    }

    void unwatch(Socket socket, Identity identity) {
        identity.token().ifPresent(token -> deadlines.remove(socket, token.endsAt()));
    }

    /**
     * Replaces the token of a socket by the one in the payload.
     *
     * @param notRevoked whether a valid token of the same user is still accepted
     */
    CompletionStage<Answer<Token>> refresh(
            Socket socket, Payload payload, Function<Token, CompletionStage<Boolean>> notRevoked)
            throws RefusedException {
        String given = payload.token();
        if (tokens == null) {
            throw new RefusedException(NO_TOKENS);
        }
        Identity identity = Identity.of(socket);
        if (identity.token().isEmpty()) {
            throw new RefusedException(NO_TOKEN);
        }
        return tokens.check(given).thenCompose(checked -> {
            if (checked.isEmpty()) {
                return CompletableFuture.completedFuture(Answer.refused(BAD_TOKEN));
            }
            Token token = checked.get();
            if (!identity.user().equals(Optional.of(token.user()))) {
                return CompletableFuture.completedFuture(Answer.refused(OTHER_USER));
            }
            return notRevoked.apply(token).thenApply(accepted -> {
                if (!accepted) {
                    tokens.refuse(TokenProblem.REVOKED);
                    return Answer.refused(BAD_TOKEN);
                }
                renew(socket, identity, token);
                return Answer.ok(token);
            });
        });
    }

    private void renew(Socket socket, Identity identity, Token token) {
        synchronized (identity) {
            unwatch(socket, identity);
            identity.renew(token);
            watch(socket, identity);
        }
    }
}
