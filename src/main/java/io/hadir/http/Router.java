package io.hadir.http;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Finds the handler of a path: an exact route first, then the longest mounted prefix. Filled before it is used. */
public final class Router {
    private final Map<String, PathHandler> paths = new LinkedHashMap<>();
    private final Map<String, HttpHandler> mounts = new LinkedHashMap<>();

    /** Routes one method of one exact path. A GET answers HEAD as well. */
    public Router route(HttpMethod method, String path, Consumer<Exchange> handler) {
        paths.computeIfAbsent(path, p -> new PathHandler(new LinkedHashMap<>()))
                .methods
                .put(method, handler);
        return this;
    }

    /** Gives every path that starts with a prefix to one handler, all methods alike. */
    public Router mount(String prefix, HttpHandler handler) {
        mounts.put(prefix, handler);
        return this;
    }

    HttpHandler handlerOf(String path) {
        HttpHandler exact = paths.get(path);
        if (exact != null) {
            return exact;
        }
        String longest = "";
        HttpHandler found = NOT_FOUND;
        for (Map.Entry<String, HttpHandler> mount : mounts.entrySet()) {
            if (path.startsWith(mount.getKey()) && mount.getKey().length() > longest.length()) {
                longest = mount.getKey();
                found = mount.getValue();
            }
        }
        return found;
    }

    private record PathHandler(Map<HttpMethod, Consumer<Exchange>> methods) implements HttpHandler {
        @Override
        public int maxBodyBytes() {
            return 0;
        }

        @Override
        public void handle(Exchange exchange) {
            HttpMethod method = exchange.method();
            Consumer<Exchange> handler = methods.get(method.equals(HttpMethod.HEAD) ? HttpMethod.GET : method);
            if (handler != null) {
                handler.accept(exchange);
                return;
            }
            TreeSet<String> allowed = new TreeSet<>();
            methods.keySet().forEach(known -> allowed.add(known.name()));
            exchange.header("Allow", String.join(", ", allowed));
            exchange.respondError(
                    HttpResponseStatus.METHOD_NOT_ALLOWED, "method_not_allowed", "This path knows " + allowed + ".");
        }
    }

    private static final HttpHandler NOT_FOUND = new HttpHandler() {
        @Override
        public int maxBodyBytes() {
            return 0;
        }

        @Override
        public void handle(Exchange exchange) {
            exchange.respondError(HttpResponseStatus.NOT_FOUND, "not_found", "There is nothing at this path.");
        }
    };
}
