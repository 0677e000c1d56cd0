package io.hadir.server.http;

import io.hadir.server.metrics.Metrics;
import io.hadir.socketio.http.Exchange;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code GET /metrics}. Runs on its own thread, because a large server takes a while to collect its metrics. */
public final class MetricsRoute implements Consumer<Exchange> {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsRoute.class);
    private static final int MOST_WAITING = 8;
    private static final long IDLE_SECONDS = 60;

    private final Metrics metrics;
    private final ThreadPoolExecutor thread;

    public MetricsRoute(Metrics metrics) {
        this.metrics = metrics;
        thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), task -> {
                    Thread created = new Thread(task, "hadir-metrics");
                    created.setDaemon(true);
                    return created;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public void accept(Exchange exchange) {
        try {
            thread.execute(() -> answer(exchange));
        } catch (RejectedExecutionException busy) {
            exchange.header("Retry-After", 1);
            exchange.respondError(
                    HttpResponseStatus.SERVICE_UNAVAILABLE,
                    "rate_limited",
                    "Too many requests for the metrics at once.");
        }
    }

    private void answer(Exchange exchange) {
        try {
            exchange.respond(HttpResponseStatus.OK, Metrics.CONTENT_TYPE, metrics.scrape());
        } catch (RuntimeException failure) {
            LOG.error("Cannot collect the metrics", failure);
            exchange.respondError(HttpResponseStatus.INTERNAL_SERVER_ERROR, "internal", "Something went wrong here.");
        }
    }
}
