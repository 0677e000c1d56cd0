package io.hadir.server.http;

import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** {@code /openapi.json}: the API in the form that programs read. {@code /docs}: the same for people, by Swagger UI. */
public final class DocsRoutes {
    private static final String WEBJAR = "/META-INF/maven/org.webjars/swagger-ui/pom.properties";

    private DocsRoutes() {}

    public static void add(Router router, Origins origins) {
        String swagger = "/META-INF/resources/webjars/swagger-ui/" + version() + "/";
        StaticFile page = new StaticFile("/docs/index.html", false, origins);
        router.route(HttpMethod.GET, "/openapi.json", new StaticFile("/openapi.json", false, Origins.ANY))
                .route(HttpMethod.GET, "/docs", page)
                .route(HttpMethod.GET, "/docs/", page)
                .route(HttpMethod.GET, "/docs/init.js", new StaticFile("/docs/init.js", false, origins))
                .route(
                        HttpMethod.GET,
                        "/docs/swagger-ui.css",
                        new StaticFile(swagger + "swagger-ui.css", false, origins))
                .route(
                        HttpMethod.GET,
                        "/docs/swagger-ui-bundle.js",
                        new StaticFile(swagger + "swagger-ui-bundle.js", false, origins));
    }

    /** The webjar keeps its files in a directory that is named by its version. */
    private static String version() {
        Properties properties = new Properties();
        try (InputStream file = DocsRoutes.class.getResourceAsStream(WEBJAR)) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }
}
