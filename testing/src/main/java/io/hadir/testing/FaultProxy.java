package io.hadir.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * A TCP proxy on a free loopback port that breaks connections as networks do. A fault applies to existing and to new
 * connections until {@link #heal}.
 */
public final class FaultProxy implements AutoCloseable {
    private final ServerSocket acceptor;
    private final IntSupplier target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Direction toServer = new Direction();
    private final Direction toClient = new Direction();
    private volatile boolean refusing;
    private volatile boolean closed;

    /** One direction through the proxy. */
    private static final class Direction {
        private boolean frozen;
        private volatile Duration delay = Duration.ZERO;
    }

    public FaultProxy(int target) throws IOException {
        this(() -> target);
    }

    /**
     * @param target the port that each new connection leads to
     */
    public FaultProxy(IntSupplier target) throws IOException {
        this.target = target;
        acceptor = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        start("fault-proxy", this::accept);
    }

    public int port() {
        return acceptor.getLocalPort();
    }

    /** Forwards nothing and keeps all connections open, like a pulled cable. */
    public void freeze() {
        set(toServer, true);
        set(toClient, true);
    }

    /** Forwards requests, but no answers. */
    public void freezeAnswers() {
        set(toClient, true);
    }

    /** Forwards answers, but no requests. */
    public void freezeRequests() {
        set(toServer, true);
    }

    /** Delays every piece from the server by this time, one after the other. */
    public void delayAnswers(Duration time) {
        toClient.delay = time;
    }

    /** Closes every connection with FIN. */
    public void cut() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** Closes every connection with RST. */
    public void reset() throws IOException {
        for (Socket socket : sockets) {
            try {
                socket.setSoLinger(true, 0);
            } catch (SocketException over) {
                // It is closed already.
            }
            socket.close();
        }
    }

    /** Closes every connection, and every new one. */
    public void refuse() throws IOException {
        refusing = true;
        cut();
    }

    /** Forwards everything again, including what it held back. */
    public void heal() {
        refusing = false;
        toClient.delay = Duration.ZERO;
        set(toServer, false);
        set(toClient, false);
    }

    private void set(Direction direction, boolean frozen) {
        lock.lock();
        try {
            direction.frozen = frozen;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = acceptor.accept();
                if (refusing) {
                    client.close();
                } else {
                    connect(client);
                }
            } catch (IOException ended) {
                // The proxy is closed, or the server is away: the client sees it.
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server = new Socket();
        try {
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target.getAsInt()));
        } catch (IOException absent) {
            client.close();
            throw absent;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        start("fault-proxy-up", () -> pump(client, server, toServer));
        start("fault-proxy-down", () -> pump(server, client, toClient));
    }

    private void pump(Socket from, Socket to, Direction direction) {
        byte[] piece = new byte[65536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                awaitPassage(direction);
                out.write(piece, 0, length);
            }
            // A frozen direction holds back the close as well.
            awaitPassage(direction);
        } catch (IOException | InterruptedException ended) {
            // When one end closes, so does the other.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void awaitPassage(Direction direction) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(direction.delay.toNanos());
        lock.lock();
        try {
            while (direction.frozen && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        acceptor.close();
        heal();
        List<Socket> open = new ArrayList<>(sockets);
        for (Socket socket : open) {
            socket.close();
        }
    }
}
