package io.hadir.server.http;

import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.function.Predicate;

/**
 * The files in the jar: the web pages, {@code /openapi.json}, and {@code /docs} with Swagger UI. Every file gets its own
 * route at the start, so no path can reach any other file.
 */
public final class StaticFiles {
    private static final String PAGE = ".html";
    private static final String INDEX = "index" + PAGE;
    private static final String DASHBOARD = "dashboard" + PAGE;

    /** The folder of files whose names contain a hash of their content. */
    private static final String HASHED = "assets/";

    private static final String SWAGGER_UI = "/META-INF/maven/org.webjars/swagger-ui/pom.properties";

    private StaticFiles() {}

    /** The room page and whatever it needs. */
    public static void addRoomPage(Router router, Origins origins) {
        addFolder(router, origins, folder(), name -> !name.equals(DASHBOARD));
    }

    /** The dashboard and whatever it needs, and the description of the API. */
    public static void addDashboard(Router router, Origins origins) {
        addFolder(router, origins, folder(), name -> !name.equals(INDEX));
        addDocs(router, origins);
    }

    /** Without built web pages there is one that says how to build them. */
    private static String folder() {
        return StaticFile.read("/web/files.txt") != null ? "/web/" : "/welcome/";
    }

    /**
     * Routes the files that the folder's {@code files.txt} lists, by their names: {@code index.html} as the root, other pages
     * without their extension.
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
        String swagger = "/META-INF/resources/webjars/swagger-ui/" + swaggerVersion() + "/";
        add(router, "/openapi.json", "/openapi.json", Origins.ANY);
        add(router, "/docs", "/docs/index.html", origins);
        add(router, "/docs/", "/docs/index.html", origins);
        add(router, "/docs/init.js", "/docs/init.js", origins);
        add(router, "/docs/swagger-ui.css", swagger + "swagger-ui.css", origins);
        add(router, "/docs/swagger-ui-bundle.js", swagger + "swagger-ui-bundle.js", origins);
    }

    private static void add(Router router, String path, String resource, Origins origins) {
        router.route(HttpMethod.GET, path, new StaticFile(resource, false, origins));
    }

    /** The webjar's folder is named after its version. */
    private static String swaggerVersion() {
        Properties properties = new Properties();
        try (InputStream file = StaticFiles.class.getResourceAsStream(SWAGGER_UI)) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }
}
