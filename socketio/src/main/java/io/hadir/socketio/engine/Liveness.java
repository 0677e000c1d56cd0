package io.hadir.socketio.engine;

/** Whether a client answers its pings. Times are {@link System#nanoTime}. Not thread-safe. */
final class Liveness {
    private boolean pinged;
    private long pingedAt;
    private long heardAt;

    Liveness(long now) {
        this.heardAt = now;
    }

    /** Records that a ping is sent; false if the last one is still unanswered and no other should be sent. */
    boolean ping(long now) {
        if (pinged) {
            return false;
        }
        pinged = true;
        pingedAt = now;
        return true;
    }

    /** Records a pong; false if there was no ping to answer. */
    boolean pong(long now) {
        boolean asked = pinged;
        pinged = false;
        heardAt = now;
        return asked;
    }

    /** How long the client may still take to answer: 0 or less if it is late, the maximum if no ping is open. */
    long remaining(long now, long timeout) {
        return pinged ? timeout - (now - pingedAt) : Long.MAX_VALUE;
    }

    /** How long ago the client last answered. */
    long silence(long now) {
        return now - heardAt;
    }
}
