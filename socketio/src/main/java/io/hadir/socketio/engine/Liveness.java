package io.hadir.socketio.engine;

/** Whether a client answers its pings. Times are {@link System#nanoTime}; belongs to one session's tasks. */
final class Liveness {
    private boolean pinged;
    private long pingedAt;
    private long heardAt;

    Liveness(long now) {
        this.heardAt = now;
    }

    /** Notes that a ping goes out; false if the last one is still unanswered, so that another makes no sense. */
    boolean ping(long now) {
        if (pinged) {
            return false;
        }
        pinged = true;
        pingedAt = now;
        return true;
    }

    /** Notes an answer; false if there was no ping to answer. */
    boolean pong(long now) {
        boolean asked = pinged;
        pinged = false;
        heardAt = now;
        return asked;
    }

    /** How much of its time the client has left to answer: 0 or less if it is silent, the most if it has answered. */
    long remaining(long now, long timeout) {
        return pinged ? timeout - (now - pingedAt) : Long.MAX_VALUE;
    }

    /** How long the client has not been heard of. */
    long silence(long now) {
        return now - heardAt;
    }
}
