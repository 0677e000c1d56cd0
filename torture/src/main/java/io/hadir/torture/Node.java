package io.hadir.torture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One server of a run with the ways that lead to it and from it to Redis; it may be down. */
final class Node implements AutoCloseable {
    final int number;
    final Link clients;
    final Link store;
    /** Whether something is being done to it. */
    final AtomicBoolean broken = new AtomicBoolean();

    private final Path folder;
    private final Terms terms;
    private int starts;
    private volatile @Nullable NodeProcess process;

    Node(int number, Link clients, Link store, Path folder, Terms terms) {
        this.number = number;
        this.clients = clients;
        this.store = store;
        this.folder = folder;
        this.terms = terms;
    }

    void start() throws IOException {
        starts++;
        Path log = folder.resolve("server-" + number + "." + starts + ".log");
        NodeProcess started = NodeProcess.start(log, store.port(), terms);
        clients.leadTo(started.port());
        process = started;
    }

    /** The port of the server itself, 0 if it is down. */
    int port() {
        NodeProcess running = process;
        return running == null ? 0 : running.port();
    }

    /** The process, 0 if it is down. */
    long pid() {
        NodeProcess running = process;
        return running == null ? 0 : running.pid();
    }

    void kill() throws IOException {
        NodeProcess running = process;
        process = null;
        if (running != null) {
            running.kill();
        }
    }

    boolean terminate() throws IOException {
        NodeProcess running = process;
        process = null;
        return running == null || running.terminate();
    }

    void freeze(boolean frozen) throws IOException {
        NodeProcess running = process;
        if (running != null) {
            running.freeze(frozen);
        }
    }

    @Override
    public void close() {
        NodeProcess running = process;
        if (running != null) {
            running.close();
        }
        clients.close();
        store.close();
    }
}
