package io.hadir.server.config;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Addresses and ranges of addresses, as in {@code 10.0.0.0/8,192.0.2.7,fd00::/8}. */
public final class Networks {
    public static final Networks NONE = new Networks(List.of());

    private static final int MAX_PREFIX_DIGITS = 3;

    private final List<Network> all;

    private Networks(List<Network> all) {
        this.all = List.copyOf(all);
    }

    static Kind<Networks> kind() {
        return Kind.of(
                "NETWORKS", "IP addresses or ranges such as 10.0.0.0/8, several separated by commas", Networks::parse);
    }

    /** Parses a list; empty if any part of it is not an address or a range. */
    public static Optional<Networks> parse(String text) {
        List<Network> networks = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            Optional<Network> network = Network.parse(item.strip());
            if (network.isEmpty()) {
                return Optional.empty();
            }
            networks.add(network.get());
        }
        return Optional.of(new Networks(networks));
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    public boolean contains(InetAddress address) {
        if (all.isEmpty()) {
            return false;
        }
        byte[] bytes = address.getAddress();
        return all.stream().anyMatch(network -> network.contains(bytes));
    }

    private record Network(InetAddress address, int prefix) {
        static Optional<Network> parse(String text) {
            int slash = text.indexOf('/');
            return Host.literal(slash < 0 ? text : text.substring(0, slash)).flatMap(address -> {
                int bits = address.getAddress().length * Byte.SIZE;
                return (slash < 0 ? Optional.of(bits) : prefix(text.substring(slash + 1), bits))
                        .map(prefix -> new Network(address, prefix));
            });
        }

        private static Optional<Integer> prefix(String text, int most) {
            if (text.isEmpty()
                    || text.length() > MAX_PREFIX_DIGITS
                    || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return Optional.empty();
            }
            int prefix = Integer.parseInt(text);
            return prefix <= most ? Optional.of(prefix) : Optional.empty();
        }

        boolean contains(byte[] other) {
            byte[] own = address.getAddress();
            if (other.length != own.length) {
                return false;
            }
            for (int bit = 0; bit < prefix; bit += Byte.SIZE) {
                int mask = prefix - bit >= Byte.SIZE ? 0xff : 0xff << (Byte.SIZE - (prefix - bit));
                if (((own[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask & 0xff) != 0) {
                    return false;
                }
            }
            return true;
        }
    }
}
