package io.hadir.server.wire;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.PresenceError;

/**
 * Stops reading a request at its first bad value. It never leaves the boundary: the event or HTTP call that reads the
 * request catches it and answers with its error.
 */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient PresenceError error;

    public RefusedException(PresenceError error) {
        // Any client can cause one, so it must be cheap: it has no stack trace.
        super(error.message(), null, false, false);
        this.error = error;
    }

    /** Returns the value of an answer, or throws its error. */
    public static <T> T valueOf(Answer<T> answer) throws RefusedException {
        if (answer instanceof Answer.Ok<T> ok) {
            return ok.value();
        }
        throw new RefusedException(((Answer.Refused<T>) answer).error());
    }

    public PresenceError error() {
        return error;
    }
}
