package io.hadir.socketio.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the handler of a request: guards first, then routes, then the longest mounted prefix. A route's segment in
 * braces matches any one segment. Each segment is decoded once and on its own, so an encoded slash never splits a
 * segment, and guards and routes see the same path. Not thread-safe while routes are added.
 */
public final class Router {
    private static final Refusal NOT_FOUND =
            new Refusal(HttpResponseStatus.NOT_FOUND, "not_found", "There is nothing at this path.");

    private final Map<String, Guard> guards = new HashMap<>();
    private final Map<String, HttpHandler> mounts = new LinkedHashMap<>();
    private final Map<List<String>, Path> paths = new LinkedHashMap<>();

    /** Adds a route for requests without a body. A GET route answers HEAD as well. */
    public Router route(HttpMethod method, String path, Consumer<Exchange> handler) {
        return route(method, path, 0, handler);
    }

    /** Adds a route for a path such as {@code /users/{id}} and requests with bodies up to a size. */
    public Router route(HttpMethod method, String path, int maxBodyBytes, Consumer<Exchange> handler) {
        List<String> segments = segments(path);
        paths.computeIfAbsent(segments, s -> new Path(path, s, new LinkedHashMap<>()))
                .methods
                .put(method, new Route(maxBodyBytes, handler));
        return this;
    }

    /** Sends every request whose path starts with this prefix to one handler, whatever its method. */
    public Router mount(String prefix, HttpHandler handler) {
        mounts.put(prefix, handler);
        return this;
    }

    /** Guards every path that begins with this segment, including paths without a route. */
    public Router guard(String firstSegment, Guard guard) {
        guards.put(firstSegment, guard);
        return this;
    }

    /** Returns every route as method and path, in the order of their addition. */
    public List<String> routes() {
        List<String> all = new ArrayList<>();
        paths.values().forEach(path -> path.methods.keySet().forEach(method -> all.add(method + " " + path.written)));
        return all;
    }

    /**
     * Returns the handler of a request.
     *
     * @param rawPath the encoded path
     * @throws IllegalArgumentException if the path cannot be decoded
     */
    HttpHandler handlerOf(HttpMethod method, String rawPath, HttpHeaders headers, InetSocketAddress peer) {
        if (!rawPath.startsWith("/")) {
            return NOT_FOUND;
        }
        List<String> segments = segments(rawPath);
        Guard guard = guards.get(segments.get(0));
        Refusal refusal = guard == null ? null : guard.refusal(headers, peer);
        if (refusal != null) {
            return refusal;
        }
        Match best = null;
        TreeSet<String> allowed = new TreeSet<>();
        for (Path path : paths.values()) {
            Map<String, String> parameters = path.match(segments);
            if (parameters != null) {
                allowed.addAll(path.allowed());
                Match match = path.find(method, parameters);
                best = match != null && (best == null || match.isMoreSpecificThan(best)) ? match : best;
            }
        }
        if (best != null) {
            return best;
        }
        return allowed.isEmpty() ? mounted("/" + String.join("/", segments)) : notAllowed(String.join(", ", allowed));
    }

    private static Refusal notAllowed(String methods) {
        return new Refusal(
                        HttpResponseStatus.METHOD_NOT_ALLOWED,
                        "method_not_allowed",
                        "This path supports " + methods + ".")
                .with("Allow", methods);
    }

    private HttpHandler mounted(String path) {
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

    private static List<String> segments(String rawPath) {
        List<String> segments = new ArrayList<>();
        for (String segment : rawPath.substring(1).split("/", -1)) {
            // The decoder takes a plus for a space, which is right in queries only.
            segments.add(QueryStringDecoder.decodeComponent(segment.replace("+", "%2B")));
        }
        return segments;
    }

    private static boolean isParameter(String segment) {
        return segment.startsWith("{") && segment.endsWith("}");
    }

    private record Path(String written, List<String> segments, Map<HttpMethod, Route> methods) {
        /** Returns the values of the segments in braces, null if the path does not match. */
        @Nullable
        Map<String, String> match(List<String> asked) {
            if (asked.size() != segments.size()) {
                return null;
            }
            Map<String, String> parameters = new HashMap<>();
            for (int i = 0; i < asked.size(); i++) {
                String expected = segments.get(i);
                if (isParameter(expected)) {
                    parameters.put(expected.substring(1, expected.length() - 1), asked.get(i));
                } else if (!expected.equals(asked.get(i))) {
                    return null;
                }
            }
            return parameters;
        }

        /** Returns the route for this method, null if there is none. */
        @Nullable
        Match find(HttpMethod method, Map<String, String> parameters) {
            Route route = methods.get(method.equals(HttpMethod.HEAD) ? HttpMethod.GET : method);
            return route == null ? null : new Match(route, parameters);
        }

        Set<String> allowed() {
            Set<String> allowed = new HashSet<>();
            methods.keySet().forEach(method -> allowed.add(method.name()));
            if (methods.containsKey(HttpMethod.GET)) {
                allowed.add(HttpMethod.HEAD.name());
            }
            return allowed;
        }
    }

    private record Route(int maxBodyBytes, Consumer<Exchange> handler) {}

    private record Match(Route route, Map<String, String> parameters) implements HttpHandler {
        boolean isMoreSpecificThan(Match other) {
            return parameters.size() < other.parameters.size();
        }

        @Override
        public int maxBodyBytes() {
            return route.maxBodyBytes;
        }

        @Override
        public void handle(Exchange exchange) {
            exchange.parameters(parameters);
            route.handler.accept(exchange);
        }
    }
}
