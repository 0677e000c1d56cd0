package io.hadir.socketio.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which web pages may talk to this server. A client that sends no {@code Origin} is not a web page of another site and
 * is always allowed here; what it may do is decided elsewhere.
 */
public final class Origins {
    public static final Origins ANY = new Origins(List.of("*"), false);

    private final boolean all;
    private final boolean loopback;
    private final boolean onlyLoopbackHosts;
    private final Set<String> listed;

    /**
     * @param allowed origins, or {@code *} for all
     * @param loopback whether pages of this machine are allowed on any port
     * @param onlyLoopbackHosts whether this server's own pages are only those under a name of this machine. Any other
     *     name can be made to point here by whoever owns it, and its pages would then pass for our own.
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

    /** Whether a page of this origin may talk to a server that was addressed as {@code host}. */
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
            return (same && isOurs(page.getHost())) || (loopback && Loopback.isName(page.getHost()));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /**
     * Whether this server's pages may be shown under a name. Where it is at home on this machine only, a page of
     * another name that was made to point here would be one origin with ours, and could read all of it.
     */
    public boolean isOwnName(@Nullable String host) {
        return !onlyLoopbackHosts || all || host == null || Loopback.isName(host) || isListed(host);
    }

    private boolean isListed(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return listed.stream()
                .anyMatch(origin -> origin.substring(origin.indexOf("://") + 3).equals(name));
    }

    private boolean isOurs(String host) {
        return !onlyLoopbackHosts || Loopback.isName(host);
    }
}
