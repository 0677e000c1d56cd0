package io.hadir.socketio.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Determines a client's address. Believes {@code X-Forwarded-For} only from trusted proxies. */
public final class Proxies {
    public static final Proxies NONE = new Proxies(address -> false);

    private static final String FORWARDED_FOR = "X-Forwarded-For";

    private final Predicate<InetAddress> trusted;

    public Proxies(Predicate<InetAddress> trusted) {
        this.trusted = trusted;
    }

    boolean isTrusted(InetSocketAddress peer) {
        return trusted.test(peer.getAddress());
    }

    /**
     * Returns the peer's address or, if the peer is a trusted proxy, the last untrusted address in
     * {@code X-Forwarded-For}. What the client itself wrote into the header stands further left and is never read.
     */
    public InetAddress client(HttpHeaders headers, InetSocketAddress peer) {
        InetAddress client = peer.getAddress();
        if (!trusted.test(client)) {
            return client;
        }
        String[] hops = forwarded(headers.getAll(FORWARDED_FOR)).split(",", -1);
        for (int i = hops.length - 1; i >= 0; i--) {
            Optional<InetAddress> hop = address(hops[i].strip());
            if (hop.isEmpty()) {
                return client;
            }
            client = hop.get();
            if (!trusted.test(client)) {
                return client;
            }
        }
        return client;
    }

    private static String forwarded(List<String> headers) {
        return headers.size() == 1 ? headers.get(0) : String.join(",", headers);
    }

    /** Reads {@code 192.0.2.1}, {@code 192.0.2.1:80}, {@code 2001:db8::1} and {@code [2001:db8::1]:80}. */
    private static Optional<InetAddress> address(String hop) {
        String host = hop;
        int bracket = hop.indexOf(']');
        if (hop.startsWith("[") && bracket > 0) {
            host = hop.substring(1, bracket);
        } else if (hop.indexOf(':') == hop.lastIndexOf(':') && hop.indexOf(':') > 0) {
            host = hop.substring(0, hop.indexOf(':'));
        }
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
        try {
            return bytes == null ? Optional.empty() : Optional.of(InetAddress.getByAddress(bytes));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four or sixteen bytes are an address", e);
        }
    }
}
