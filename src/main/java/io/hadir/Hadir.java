package io.hadir;

import io.hadir.config.Config;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A running server. */
final class Hadir {
    private final ServerSocket listener;

    private Hadir(ServerSocket listener) {
        this.listener = listener;
    }

    /** Starts a server, or throws what kept it from starting. */
    static Hadir start(Config config) throws IOException {
        InetAddress address = InetAddress.getByName(config.server().host());
        return new Hadir(new ServerSocket(config.server().port(), 50, address));
    }

    /** Where it listens. */
    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }
}
