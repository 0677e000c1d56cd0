package io.hadir.presence.room;

/** Redis could not be asked, or did not answer: nothing is known, so nothing may be concluded. */
public final class PresenceUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PresenceUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
