package io.hadir.server.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/** An address to listen on, judged by its text alone: no name is resolved. */
final class Host {
    private static final Pattern LABELS =
            Pattern.compile("(?i)[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?)*");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
    private static final Pattern IPV4 = Pattern.compile("((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\\.(?!$)|$)){4}");
    private static final Pattern IPV6 = Pattern.compile("(?i)[0-9a-f:.]*:[0-9a-f:.]*(%[a-z0-9]+)?");

    private Host() {}

    static Kind<String> kind() {
        return Kind.of("ADDRESS", "an IP address or a host name", Host::parse);
    }

    /** Whether only this machine can reach the address. The only such name is {@code localhost}. */
    static boolean isLoopback(String host) {
        return host.equalsIgnoreCase("localhost")
                || (isLiteral(host)
                        && literal(host).map(InetAddress::isLoopbackAddress).orElse(false));
    }

    private static Optional<String> parse(String text) {
        String host = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        boolean valid = isLiteral(host)
                ? literal(host).isPresent()
                : text.equals(host)
                        && host.length() <= 253
                        && LABELS.matcher(host).matches();
        return valid ? Optional.of(host) : Optional.empty();
    }

    private static boolean isLiteral(String host) {
        return DIGITS_AND_DOTS.matcher(host).matches() || host.contains(":");
    }

    /** The address if the text is a literal one; empty for a name or anything else. */
    static Optional<InetAddress> literal(String host) {
        if (!IPV4.matcher(host).matches() && !IPV6.matcher(host).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(host));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }
}
