package io.hadir.server.auth;

import com.nimbusds.jose.jwk.JWK;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Publishes keys over HTTP, fails in any way that such an endpoint can, and counts requests. */
final class JwksEndpoint implements AutoCloseable {
    private static final int DRIP_MILLIS = 100;

    private record Answer(int status, String body, @Nullable String location) {}

    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger strays = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final int port;
    private volatile Answer answer = new Answer(200, "{\"keys\":[]}", null);
    private volatile Answer elsewhere = answer;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile boolean dripping;
    private @Nullable HttpServer server;

    JwksEndpoint() throws IOException {
        server = listen();
        port = server.getAddress().getPort();
    }

    private HttpServer listen() throws IOException {
        HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        started.setExecutor(threads);
        started.createContext("/jwks", exchange -> answer(exchange, requests));
        started.createContext("/jwks/elsewhere", exchange -> answer(exchange, strays));
        started.createContext("/elsewhere", exchange -> answer(exchange, strays));
        started.start();
        return started;
    }

    private void answer(HttpExchange exchange, AtomicInteger counter) throws IOException {
        Answer given = counter == strays ? elsewhere : answer;
        counter.incrementAndGet();
        try (exchange) {
            if (!gate.await(20, TimeUnit.SECONDS) || given.status == 0) {
                return;
            }
            byte[] body = given.body.getBytes(StandardCharsets.UTF_8);
            if (given.location != null) {
                exchange.getResponseHeaders().set("Location", given.location);
            }
            exchange.sendResponseHeaders(given.status, body.length == 0 ? -1 : body.length);
            for (byte one : dripping ? body : new byte[0]) {
                exchange.getResponseBody().write(one);
                exchange.getResponseBody().flush();
                Thread.sleep(DRIP_MILLIS);
            }
            exchange.getResponseBody().write(dripping ? new byte[0] : body);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port + "/jwks");
    }

    void publish(JWK... keys) {
        publishAll(List.of(keys));
    }

    void publishAll(List<? extends JWK> keys) {
        answer(200, PublishedKeysTest.json(keys));
    }

    void publishElsewhere(JWK key) {
        elsewhere = new Answer(200, PublishedKeysTest.json(List.of(key)), null);
    }

    void answer(int status, String body) {
        answer = new Answer(status, body, null);
    }

    void redirect(String location) {
        answer = new Answer(302, "", location);
    }

    /** Makes requests from now on wait until {@link #release}. */
    void hold() {
        gate = new CountDownLatch(1);
    }

    void release() {
        gate.countDown();
    }

    /** Whether answers are sent one byte at a time, each soon enough for a read timeout. */
    void drip(boolean drip) {
        dripping = drip;
    }

    boolean isUp() {
        return server != null;
    }

    void stop() {
        if (server != null) {
            server.stop(0);
            server = null;
        }
    }

    /** Accepts connections and closes them without an answer. */
    void hangUp() {
        answer = new Answer(0, "", null);
    }

    /** The number of requests for the keys. */
    int requests() {
        return requests.get();
    }

    /** The number of requests for anything else. */
    int strays() {
        return strays.get();
    }

    @Override
    public void close() {
        release();
        stop();
        threads.shutdownNow();
    }
}
