package io.hadir.server.http;

import io.hadir.socketio.Json;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The files in the jar: the web pages, {@code /openapi.json}, and {@code /docs}, which shows it. Every file gets its
 * own route at the start, so no path can reach any other file.
 */
public final class StaticFiles {
    private static final String PAGE = ".html";
    private static final String INDEX = "index" + PAGE;
    private static final String DASHBOARD = "dashboard" + PAGE;

    /** The folder of files whose names contain a hash of their content. */
    private static final String HASHED = "assets/";

    private StaticFiles() {}

    /** The room page and whatever it needs. */
    public static void addRoomPage(Router router, Origins origins, Site site) {
        addSite(router, site);
        addFolder(router, origins, folder(), name -> !name.equals(DASHBOARD));
    }

    /** The description of the API, for everybody. */
    public static void addApiDescription(Router router) {
        add(router, "/openapi.json", "/openapi.json", Origins.ANY);
    }

    /** The dashboard and whatever it needs, and the page that shows the description of the API. */
    public static void addDashboard(Router router, Origins origins, Site site) {
        addSite(router, site);
        addFolder(router, origins, folder(), name -> !name.equals(INDEX));
        addDocs(router, origins);
    }

    /**
     * What a page must know about its address.
     *
     * @param socketPath where clients connect; null if they do so at another address
     * @param roomPage whether the room page is there
     * @param dashboard whether the dashboard is there
     */
    public record Site(@Nullable String socketPath, boolean roomPage, boolean dashboard) {}

    private static void addSite(Router router, Site site) {
        String json = Json.MAPPER.writeValueAsString(site);
        router.route(
                HttpMethod.GET,
                "/site.json",
                exchange -> exchange.header(HttpHeaderNames.CACHE_CONTROL, "no-cache")
                        .respond(HttpResponseStatus.OK, "application/json", json));
    }

    /** Without built web pages there is one that says how to build them. */
    private static String folder() {
        return StaticFile.read("/web/files.txt") != null ? "/web/" : "/welcome/";
    }

    /**
     * Routes the files that the folder's {@code files.txt} lists, by their names: {@code index.html} as the root, other
     * pages without their extension.
     */
    static void addFolder(Router router, Origins origins, String folder, Predicate<String> wanted) {
        byte[] list = StaticFile.read(folder + "files.txt");
        if (list == null) {
            throw new IllegalArgumentException("no files.txt in the jar: " + folder);
        }
        new String(list, StandardCharsets.UTF_8)
                .lines()
                .filter(wanted)
                .forEach(name -> router.route(
                        HttpMethod.GET, path(name), new StaticFile(folder + name, name.startsWith(HASHED), origins)));
    }

    private static String path(String name) {
        if (name.equals(INDEX)) {
            return "/";
        }
        return "/" + (name.endsWith(PAGE) ? name.substring(0, name.length() - PAGE.length()) : name);
    }

    private static void addDocs(Router router, Origins origins) {
        add(router, "/docs", "/docs/index.html", origins);
        add(router, "/docs/", "/docs/index.html", origins);
        add(router, "/docs/docs.js", "/docs/docs.js", origins);
        add(router, "/docs/docs.css", "/docs/docs.css", origins);
    }

    private static void add(Router router, String path, String resource, Origins origins) {
        router.route(HttpMethod.GET, path, new StaticFile(resource, false, origins));
    }
}
