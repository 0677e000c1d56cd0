package io.hadir.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.hadir.presence.sweep.SweepReport;
import io.hadir.socketio.Json;
import io.hadir.socketio.http.Guard;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code /healthz}: the process answers. {@code /readyz}: whether it can serve clients. Only callers who may use the
 * API learn the reason and the report of the last sweep, because these contain addresses and counts.
 */
public final class HealthRoutes {
    private static final String JSON = "application/json";
    private static final String NOT_READY = "This server is not ready.";

    private HealthRoutes() {}

    /**
     * Adds both routes.
     *
     * @param insiders admits the callers who learn more than yes or no
     * @param trouble why the server cannot serve clients, empty if it can
     * @param limits what the server cannot do although it is ready, empty if nothing
     * @param sweep the report of the last sweep, null before the first
     */
    public static void add(
            Router router,
            Guard insiders,
            Supplier<Optional<String>> trouble,
            Supplier<Optional<String>> limits,
            Supplier<@Nullable SweepReport> sweep) {
        router.route(
                HttpMethod.GET,
                "/healthz",
                exchange -> exchange.respond(HttpResponseStatus.OK, JSON, "{\"healthy\":true}"));
        router.route(HttpMethod.GET, "/readyz", exchange -> {
            boolean inside = exchange.passes(insiders);
            Optional<String> reason = trouble.get();
            if (reason.isEmpty()) {
                Object answer =
                        inside ? new Details(true, limits.get().orElse(null), Sweep.of(sweep.get())) : new Ready(true);
                exchange.respond(HttpResponseStatus.OK, JSON, Json.MAPPER.writeValueAsString(answer));
            } else {
                exchange.header("Retry-After", 1);
                exchange.respondError(
                        HttpResponseStatus.SERVICE_UNAVAILABLE, "not_ready", inside ? reason.get() : NOT_READY);
            }
        });
    }

    private record Ready(boolean ready) {}

    private record Details(
            boolean ready,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String but,

            @Nullable Sweep lastSweep) {}

    private record Sweep(
            long startedAt, long tookMs, @Nullable Long scanMs, long scanned, long removed, boolean finished) {
        static @Nullable Sweep of(@Nullable SweepReport sweep) {
            if (sweep == null) {
                return null;
            }
            Duration scan = sweep.scan();
            return new Sweep(
                    sweep.startedAt().toEpochMilli(),
                    sweep.took().toMillis(),
                    scan == null ? null : scan.toMillis(),
                    sweep.scanned(),
                    sweep.removed(),
                    sweep.finished());
        }
    }
}
