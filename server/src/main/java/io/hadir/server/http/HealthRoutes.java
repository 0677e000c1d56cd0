package io.hadir.server.http;

import io.hadir.presence.sweep.SweepReport;
import io.hadir.socketio.Json;
import io.hadir.socketio.http.Guard;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code /healthz}: the process answers. {@code /readyz}: it can do its work, or not. Why not, and how it does, is only for
 * those who may use the API: strangers learn neither addresses nor counts.
 */
public final class HealthRoutes {
    private static final String JSON = "application/json";
    private static final String NOT_READY = "This server is not ready.";

    private HealthRoutes() {}

    /**
     * Adds both routes.
     *
     * @param insiders lets in those who are told more than yes or no
     * @param hindrance what keeps the server from its work, in our own words; empty if nothing does
     * @param limits what of its work it cannot do while it does the rest, in our own words; empty if nothing
     * @param sweep how the last sweep went, null before the first
     */
    public static void add(
            Router router,
            Guard insiders,
            Supplier<Optional<String>> hindrance,
            Supplier<Optional<String>> limits,
            Supplier<@Nullable SweepReport> sweep) {
        router.route(
                HttpMethod.GET,
                "/healthz",
                exchange -> exchange.respond(HttpResponseStatus.OK, JSON, "{\"healthy\":true}"));
        router.route(HttpMethod.GET, "/readyz", exchange -> {
            boolean inside = exchange.passes(insiders);
            Optional<String> reason = hindrance.get();
            if (reason.isEmpty()) {
                String more = inside ? more(limits.get(), sweep.get()) : "";
                exchange.respond(HttpResponseStatus.OK, JSON, "{\"ready\":true" + more + "}");
            } else {
                exchange.header("Retry-After", 1);
                exchange.respondError(
                        HttpResponseStatus.SERVICE_UNAVAILABLE, "not_ready", inside ? reason.get() : NOT_READY);
            }
        });
    }

    private static String more(Optional<String> limits, @Nullable SweepReport sweep) {
        String but = limits.map(words -> ",\"but\":" + Json.MAPPER.writeValueAsString(words))
                .orElse("");
        return but + ",\"lastSweep\":" + inWords(sweep);
    }

    private static String inWords(@Nullable SweepReport sweep) {
        return sweep == null
                ? "null"
                : "{\"startedAt\":" + sweep.startedAt().toEpochMilli()
                        + ",\"tookMs\":" + sweep.took().toMillis()
                        + ",\"scanned\":" + sweep.scanned()
                        + ",\"removed\":" + sweep.removed()
                        + ",\"finished\":" + sweep.finished() + "}";
    }
}
