package io.hadir.redis.link;

import java.util.regex.Pattern;

/** Validates Redis URLs, and hides their passwords. */
public final class RedisUrl {
    private static final String USER = "(\\S*@)?";
    private static final String HOST = "([\\w.-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?";
    private static final String HOSTS = HOST + "(," + HOST + ")*";
    private static final String REST = "(/[0-9]*)?(\\?\\S*)?";

    public static final String EXPECTED = "redis://host:port, redis-sentinel://host:port,host:port/0#master"
            + " or redis-cluster://host:port,host:port; with TLS rediss in place of redis";

    /** A password in the query. */
    private static final Pattern IN_QUERY = Pattern.compile("(?i)(password=)[^&#\\s]*");

    private static final Pattern URL = Pattern.compile("rediss?://" + USER + HOST + REST
            + "|rediss?-sentinel://" + USER + HOSTS + REST + "#[^\\s#]+"
            + "|rediss?-cluster://" + USER + HOSTS + "/?(\\?\\S*)?");

    private RedisUrl() {}

    public static boolean isValid(String url) {
        return URL.matcher(url).matches();
    }

    public static boolean isTls(String url) {
        return url.startsWith("rediss");
    }

    /** Hides everything before the last {@code @} and the passwords of the query, even in an invalid URL. */
    public static String withoutPassword(String given) {
        String url = IN_QUERY.matcher(given).replaceAll("$1***");
        int at = url.lastIndexOf('@');
        int scheme = url.indexOf("://");
        if (at < 0) {
            return url;
        }
        String start = scheme < 0 || scheme > at ? "" : url.substring(0, scheme + 3);
        return start + "***" + url.substring(at);
    }
}
