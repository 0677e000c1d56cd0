package io.hadir.http;

import io.hadir.presence.SweepReport;
import io.hadir.wire.Json;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /healthz}: the process answers. {@code /readyz}: it can do its work, or why not in plain words. */
public final class HealthRoutes {
    private static final String JSON = "application/json";

    private HealthRoutes() {}

    /**
     * Adds both routes.
     *
     * @param hindrance what keeps the server from its work, in our own words; empty if nothing does
     * @param limits what of its work it cannot do while it does the rest, in our own words; empty if nothing
     * @param sweep how the last sweep went, null before the first
     */
    public static void add(
            Router router,
            Supplier<Optional<String>> hindrance,
            Supplier<Optional<String>> limits,
            Supplier<@Nullable SweepReport> sweep) {
        router.route(
                HttpMethod.GET,
                "/healthz",
                exchange -> exchange.respond(HttpResponseStatus.OK, JSON, "{\"healthy\":true}"));
        router.route(HttpMethod.GET, "/readyz", exchange -> {
            Optional<String> reason = hindrance.get();
            if (reason.isEmpty()) {
                String but = limits.get()
                        .map(words -> ",\"but\":" + Json.MAPPER.writeValueAsString(words))
                        .orElse("");
                exchange.respond(
                        HttpResponseStatus.OK,
                        JSON,
                        "{\"ready\":true" + but + ",\"lastSweep\":" + inWords(sweep.get()) + "}");
            } else {
                exchange.header("Retry-After", 1);
                exchange.respondError(HttpResponseStatus.SERVICE_UNAVAILABLE, "not_ready", reason.get());
            }
        });
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
