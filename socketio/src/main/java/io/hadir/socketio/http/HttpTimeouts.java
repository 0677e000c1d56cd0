package io.hadir.socketio.http;

import java.time.Duration;

/**
 * How long a client may take.
 *
 * @param head from the first byte of a request, or from the connect, to the end of its headers
 * @param body from there to the end of its body
 * @param idle between an answer and the next request on a kept connection
 */
public record HttpTimeouts(Duration head, Duration body, Duration idle) {
    /** Ten seconds for a head is generous on a bad phone line; a polling client asks again at once, so idle is short. */
    public static final HttpTimeouts DEFAULT =
            new HttpTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(30));
}
