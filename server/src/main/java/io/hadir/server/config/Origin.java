package io.hadir.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A web origin, written as browsers write it: lower case and without the scheme's own port. */
final class Origin {
    private static final Pattern ORIGIN = Pattern.compile(
            "([a-z][a-z0-9+.-]*)://([a-z0-9_-]+(?:\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+])(?::([1-9][0-9]{0,4}))?");

    private Origin() {}

    static Kind<List<String>> list() {
        return Kind.of(
                "ORIGINS", "* or scheme://host[:port] without a path, several separated by commas", Origin::parseList);
    }

    private static Optional<List<String>> parseList(String text) {
        List<String> origins = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            Optional<String> origin = parse(item.strip());
            if (origin.isEmpty()) {
                return Optional.empty();
            }
            origins.add(origin.get());
        }
        return Optional.of(List.copyOf(origins));
    }

    private static Optional<String> parse(String text) {
        if (text.equals("*")) {
            return Optional.of(text);
        }
        Matcher parts = ORIGIN.matcher(text.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            return Optional.empty();
        }
        String scheme = parts.group(1);
        String port = parts.group(3);
        if (port == null) {
            return Optional.of(parts.group());
        }
        if (Integer.parseInt(port) > 65535) {
            return Optional.empty();
        }
        boolean own = (scheme.equals("http") && port.equals("80")) || (scheme.equals("https") && port.equals("443"));
        return Optional.of(own ? scheme + "://" + parts.group(2) : parts.group());
    }
}
