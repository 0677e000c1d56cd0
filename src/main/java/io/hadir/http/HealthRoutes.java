package io.hadir.http;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Optional;
import java.util.function.Supplier;

/** {@code /healthz}: the process answers. {@code /readyz}: it can do its work, or why not in plain words. */
public final class HealthRoutes {
    private static final String JSON = "application/json";

    private HealthRoutes() {}

    /**
     * Adds both routes.
     *
     * @param hindrance what keeps the server from its work, in our own words; empty if nothing does
     */
    public static void add(Router router, Supplier<Optional<String>> hindrance) {
        router.route(
                HttpMethod.GET,
                "/healthz",
                exchange -> exchange.respond(HttpResponseStatus.OK, JSON, "{\"healthy\":true}"));
        router.route(HttpMethod.GET, "/readyz", exchange -> {
            Optional<String> reason = hindrance.get();
            if (reason.isEmpty()) {
                exchange.respond(HttpResponseStatus.OK, JSON, "{\"ready\":true}");
            } else {
                exchange.header("Retry-After", 1);
                exchange.respondError(HttpResponseStatus.SERVICE_UNAVAILABLE, "not_ready", reason.get());
            }
        });
    }
}
