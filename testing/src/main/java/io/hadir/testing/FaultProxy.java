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
 * A TCP proxy on a free loopback port that does to a link what networks do. What it does holds for links that exist and
 * for those that come; {@link #heal} ends it.
 */
public final class FaultProxy implements AutoCloseable {
    private final ServerSocket door;
    private final IntSupplier target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Direction toServer = new Direction();
    private final Direction toClient = new Direction();
    private volatile boolean refusing;
    private volatile boolean closed;

    /** One way through the proxy. */
    private static final class Direction {
        private boolean frozen;
        private volatile Duration delay = Duration.ZERO;
    }

    public FaultProxy(int target) throws IOException {
        this(() -> target);
    }

    /**
     * @param target says for each link where it leads to
     */
    public FaultProxy(IntSupplier target) throws IOException {
        this.target = target;
        door = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        start("fault-proxy", this::accept);
    }

    public int port() {
        return door.getLocalPort();
    }

    /** Passes nothing on, in both directions, and says nothing of it: a cable that was pulled. */
    public void freeze() {
        set(toServer, true);
        set(toClient, true);
    }

    /** What comes from the server does not arrive; what goes to it does. */
    public void freezeAnswers() {
        set(toClient, true);
    }

    /** What goes to the server does not arrive; what comes from it does. */
    public void freezeRequests() {
        set(toServer, true);
    }

    /** Holds up every piece that comes from the server for so long, one after the other. */
    public void delayAnswers(Duration time) {
        toClient.delay = time;
    }

    /** Closes every link in order. */
    public void cut() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** Ends every link with RST. */
    public void reset() throws IOException {
        for (Socket socket : sockets) {
            try {
                socket.setSoLinger(true, 0);
            } catch (SocketException over) {
                // It ended by itself.
            }
            socket.close();
        }
    }

    /** Ends every link, and every one that comes. */
    public void refuse() throws IOException {
        refusing = true;
        cut();
    }

    /** Passes everything on again, also what was held up. */
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
                Socket client = door.accept();
                if (refusing) {
                    client.close();
                } else {
                    connect(client);
                }
            } catch (IOException ended) {
                // The door is closed, or the server is not there: the client sees it.
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
                pass(direction);
                out.write(piece, 0, length);
            }
            // An end is news, too.
            pass(direction);
        } catch (IOException | InterruptedException ended) {
            // One end is gone, and takes the other with it.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void pass(Direction direction) throws InterruptedException {
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
        door.close();
        heal();
        List<Socket> open = new ArrayList<>(sockets);
        for (Socket socket : open) {
            socket.close();
        }
    }
}
