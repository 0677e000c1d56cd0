package io.hadir.config;

import java.util.Optional;
import java.util.regex.Pattern;

/** Where a Redis is: standalone, behind sentinels, or a cluster. */
final class RedisUrl {
    private static final String USER = "(\\S*@)?";
    private static final String HOST = "([\\w.-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?";
    private static final String HOSTS = HOST + "(," + HOST + ")*";
    private static final String REST = "(/[0-9]*)?(\\?\\S*)?";

    private static final Pattern URL = Pattern.compile("rediss?://" + USER + HOST + REST
            + "|redis-sentinel://" + USER + HOSTS + REST + "#[^\\s#]+"
            + "|redis-cluster://" + USER + HOSTS + "/?(\\?\\S*)?");

    private RedisUrl() {}

    static Kind<String> kind() {
        return new Kind<>(
                "URL",
                "redis://host:port, rediss://host:port, redis-sentinel://host:port,host:port/0#master"
                        + " or redis-cluster://host:port,host:port",
                text -> URL.matcher(text).matches() ? Optional.of(text) : Optional.empty(),
                RedisUrl::withoutPassword);
    }

    /** Hides all that stands before the last {@code @}, however broken the URL is. */
    static String withoutPassword(String url) {
        int at = url.lastIndexOf('@');
        int scheme = url.indexOf("://");
        if (at < 0) {
            return url;
        }
        String start = scheme < 0 || scheme > at ? "" : url.substring(0, scheme + 3);
        return start + "***" + url.substring(at);
    }
}
