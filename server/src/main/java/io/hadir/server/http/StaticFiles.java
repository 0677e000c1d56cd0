package io.hadir.server.http;

import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpMethod;
import java.nio.charset.StandardCharsets;

/**
 * The files of a folder of the jar. Each is a route of its own, made at the start from the list in the folder's
 * {@code files.txt}, so that no path leads anywhere else.
 */
public final class StaticFiles {
    private static final String PAGE = ".html";

    /** Where the build puts files whose names have a hash of their content. */
    private static final String HASHED = "assets/";

    private StaticFiles() {}

    /** Routes the pages as they were built, or the page that tells how to build them. */
    public static void add(Router router, Origins origins) {
        add(router, origins, StaticFile.read("/web/files.txt") != null ? "/web/" : "/welcome/");
    }

    /** Routes every file of a folder by its name; {@code index.html} as the root, other pages without their extension. */
    static void add(Router router, Origins origins, String folder) {
        byte[] list = StaticFile.read(folder + "files.txt");
        if (list == null) {
            throw new IllegalArgumentException("no list of files in the jar: " + folder);
        }
        new String(list, StandardCharsets.UTF_8)
                .lines()
                .forEach(name -> router.route(
                        HttpMethod.GET, path(name), new StaticFile(folder + name, name.startsWith(HASHED), origins)));
    }

    private static String path(String name) {
        if (name.equals("index" + PAGE)) {
            return "/";
        }
        return "/" + (name.endsWith(PAGE) ? name.substring(0, name.length() - PAGE.length()) : name);
    }
}
