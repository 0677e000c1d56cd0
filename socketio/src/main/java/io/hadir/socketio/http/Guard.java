package io.hadir.socketio.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Decides who may use a part of the server. Asked when a request's head is known, before any of its body is read. */
@FunctionalInterface
public interface Guard {
    /** Why this request is turned away; null if it is let in. */
    @Nullable
    Refusal refusal(HttpHeaders headers, InetSocketAddress peer);
}
