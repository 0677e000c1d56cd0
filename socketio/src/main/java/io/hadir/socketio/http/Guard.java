package io.hadir.socketio.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Decides whether a request is let in. Runs once the headers are read, before the body is. */
@FunctionalInterface
public interface Guard {
    /** Returns why the request is refused, null if it is let in. */
    @Nullable
    Refusal refusal(HttpHeaders headers, InetSocketAddress peer);
}
