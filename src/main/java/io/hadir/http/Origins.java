package io.hadir.http;

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
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final boolean all;
    private final boolean loopback;
    private final Set<String> listed;

    /**
     * @param allowed origins, or {@code *} for all
     * @param loopback whether pages of this machine are allowed on any port
     */
    public Origins(List<String> allowed, boolean loopback) {
        this.all = allowed.contains("*");
        this.loopback = loopback;
        this.listed = Set.copyOf(
                allowed.stream().map(origin -> origin.toLowerCase(Locale.ROOT)).toList());
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
            return same || (loopback && LOOPBACK.contains(page.getHost()));
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
