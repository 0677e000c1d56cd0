package io.hadir.server;

import io.hadir.server.config.Config;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The text that the server prints when it is up: its addresses, its Redis, and who may connect. */
final class Banner {
    private Banner() {}

    /**
     * Plain ASCII, which every terminal and log can show.
     *
     * @param redis where Redis is, and how to look inside
     * @param trunks whether apps may attach their sockets
     */
    static String text(
            InetSocketAddress address,
            InetSocketAddress admin,
            Config.Server server,
            String redis,
            Config.Auth auth,
            boolean trunks,
            String version) {
        String url = url(address);
        String adminUrl = url(admin);
        boolean pages = server.pages() != Config.Pages.NONE;
        List<String> lines =
                new ArrayList<>(List.of("", "  Hadir " + version + " is up: who is in the room right now.", ""));
        if (server.pages() == Config.Pages.ALL) {
            lines.add(row("Open", url + "/"));
        }
        if (pages) {
            lines.add(row("Dashboard", adminUrl + "/dashboard"));
        }
        lines.add(row("Socket.IO", url + server.path()));
        if (trunks) {
            lines.add(row("Trunk", url + "/trunk, for apps with the trunk key"));
        }
        lines.addAll(List.of(
                row("HTTP API", adminUrl + "/api/v1/" + (pages ? ", described at " + adminUrl + "/docs" : "")),
                row("Listens on", listensOn(address, auth.isOpen() ? " (--insecure)" : "")),
                row("Redis", redis),
                row("Mode", mode(auth)),
                row("Stop", "Ctrl-C"),
                "",
                ""));
        return String.join(System.lineSeparator(), lines);
    }

    private static String url(InetSocketAddress address) {
        return "http://" + authority(reachable(address), address.getPort());
    }

    /** Host and port as in a URL. */
    static String authority(String host, int port) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    private static String row(String name, String value) {
        return String.format("  %-10s  %s", name, value.replace("\n", System.lineSeparator() + " ".repeat(14)));
    }

    private static String mode(Config.Auth auth) {
        if (auth.trunksOnly()) {
            return "trunks only: no token key is configured, so no client can connect directly";
        }
        return auth.isOpen()
                ? "open: clients may name any user. Only for trying out."
                : "tokens: clients prove who they are, checked with " + auth.shownKey();
    }

    private static String reachable(InetSocketAddress address) {
        return isAny(address) ? "localhost" : host(address);
    }

    private static String listensOn(InetSocketAddress address, String allowedBy) {
        if (isAny(address)) {
            return "every address of this machine, port " + address.getPort() + allowedBy;
        }
        InetAddress ip = address.getAddress();
        boolean loopback = ip != null && ip.isLoopbackAddress();
        return authority(host(address), address.getPort())
                + (loopback ? ", this machine only" : ", also for other machines" + allowedBy);
    }

    private static boolean isAny(InetSocketAddress address) {
        return address.getAddress() != null && address.getAddress().isAnyLocalAddress();
    }

    private static String host(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        return ip == null ? address.getHostString() : ip.getHostAddress();
    }
}
