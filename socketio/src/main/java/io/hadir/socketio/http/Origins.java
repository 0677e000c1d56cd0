package io.hadir.socketio.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which web pages may talk to this server. A request without an {@code Origin} is not from another site and always may.
 */
public final class Origins {
    public static final Origins ANY = new Origins(List.of("*"), false);

    private static final Pattern LOOPBACK =
            Pattern.compile("(?i)(localhost|127(\\.[0-9]{1,3}){3}|\\[::1])(:[0-9]{1,5})?");

    private final boolean all;
    private final boolean loopback;
    private final boolean onlyLoopbackHosts;
    private final Set<String> listed;

    /**
     * @param allowed origins, or {@code *} for all
     * @param loopback whether pages of this machine are allowed, on any port
     * @param onlyLoopbackHosts whether a page counts as this server's own only under a loopback name. The owner of any
     *     other name can point it at this server, and their pages would pass for the server's own.
     */
    public Origins(List<String> allowed, boolean loopback, boolean onlyLoopbackHosts) {
        this.onlyLoopbackHosts = onlyLoopbackHosts;
        this.all = allowed.contains("*");
        this.loopback = loopback;
        this.listed = Set.copyOf(
                allowed.stream().map(origin -> origin.toLowerCase(Locale.ROOT)).toList());
    }

    public Origins(List<String> allowed, boolean loopback) {
        this(allowed, loopback, false);
    }

    /** Whether this is a name or address of the loopback interface, with or without a port. */
    public static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host).matches();
    }

    /** Whether a page of this origin may send a request whose {@code Host} header is {@code host}. */
    public boolean allows(@Nullable String origin, @Nullable String host) {
        if (origin == null || all) {
            return true;
        }
        String lower = origin.toLowerCase(Locale.ROOT);
        if (listed.contains(lower)) {
            return true;
        }
        try {
            URI page = new URI(lower);
            if (page.getHost() == null || page.getScheme() == null) {
                return false;
            }
            boolean same = host != null && host.toLowerCase(Locale.ROOT).equals(page.getAuthority());
            return (same && (!onlyLoopbackHosts || isLoopback(page.getHost())))
                    || (loopback && isLoopback(page.getHost()));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /**
     * Whether this server may show its pages under this name. With {@code onlyLoopbackHosts}, a page under a foreign
     * name that points here would share an origin with ours and could read it.
     */
    public boolean isOwnName(@Nullable String host) {
        return !onlyLoopbackHosts || all || host == null || isLoopback(host) || isListed(host);
    }

    private boolean isListed(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return listed.stream()
                .anyMatch(origin -> origin.substring(origin.indexOf("://") + 3).equals(name));
    }
}
