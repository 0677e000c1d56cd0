package io.hadir.socketio;

import io.hadir.presence.UserId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whose a socket is. Until that is settled, events that are under way for a user hold the place for it, so that no two
 * users get on one socket.
 */
final class Identity {
    private @Nullable UserId user;
    private boolean settled;
    private int underWay;

    /** It is this user's socket, for good. */
    synchronized void settle(UserId owner) {
        user = owner;
        settled = true;
    }

    /** The user, if there is one. */
    synchronized Optional<UserId> user() {
        return Optional.ofNullable(user);
    }

    /** Begins something for this user; false if the socket is another's. */
    synchronized boolean begin(UserId named) {
        if (user != null && !user.equals(named)) {
            return false;
        }
        user = named;
        underWay++;
        return true;
    }

    /** Ends what was begun; the first that was accepted settles the matter. */
    synchronized void end(boolean accepted) {
        underWay--;
        settled |= accepted;
        if (!settled && underWay == 0) {
            user = null;
        }
    }
}
