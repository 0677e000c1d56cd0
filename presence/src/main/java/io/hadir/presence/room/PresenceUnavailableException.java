package io.hadir.presence.room;

/** Redis could not be reached or did not answer. The step may have happened or not. */
public final class PresenceUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PresenceUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
