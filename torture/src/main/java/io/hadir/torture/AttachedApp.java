package io.hadir.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Socket.IO server on Node.js with Hadir attached, in its own process. It may be down. */
final class AttachedApp implements AutoCloseable {
    private static final Path HOME = Path.of(System.getProperty("hadir.home", "."));
    private static final Pattern LISTENS = Pattern.compile("listens on (\\d+)");

    final int number;
    final Link clients;
    /** Whether a fault of this app is active. */
    final AtomicBoolean broken = new AtomicBoolean();

    private final List<Integer> servers;
    private final Path folder;
    private final ServerSettings settings;
    private int starts;
    private volatile @Nullable ChildProcess process;

    /** @param servers the ports that lead to the servers; it prefers the one with its own number */
    AttachedApp(int number, Link clients, List<Integer> servers, Path folder, ServerSettings settings) {
        this.number = number;
        this.clients = clients;
        this.servers = servers;
        this.folder = folder;
        this.settings = settings;
    }

    /** Whether this machine has what an app needs. */
    static boolean isInstalled() {
        return Stream.of("node/dist/esm/index.js", "node/node_modules/socket.io", "torture/app.mjs")
                .map(HOME::resolve)
                .allMatch(Files::exists);
    }

    /** Starts the app and waits until it listens. */
    void start() throws IOException {
        starts++;
        Path log = folder.resolve("app-" + number + "." + starts + ".log");
        ChildProcess started = ChildProcess.start(log, command());
        try {
            clients.leadTo(Node.awaitPort(started, log, LISTENS));
            process = started;
        } catch (IOException failed) {
            started.close();
            throw failed;
        }
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                "node",
                HOME.resolve("torture/app.mjs").toString(),
                ServerSettings.TRUNK_KEY,
                Long.toString(settings.pingInterval().toMillis()),
                Long.toString(settings.pingTimeout().toMillis())));
        for (int i = 0; i < servers.size(); i++) {
            command.add("http://127.0.0.1:" + servers.get((number + i) % servers.size()));
        }
        return command;
    }

    /** The process id, 0 if it is down. */
    long pid() {
        ChildProcess running = process;
        return running == null ? 0 : running.pid();
    }

    /** As {@code kill -9}. */
    void kill() throws IOException {
        ChildProcess running = process;
        process = null;
        if (running != null) {
            running.kill();
            running.close();
        }
    }

    /** As {@code kill -STOP} and {@code kill -CONT}. */
    void freeze(boolean frozen) throws IOException {
        ChildProcess running = process;
        if (running != null) {
            running.signal(frozen ? "STOP" : "CONT");
        }
    }

    @Override
    public void close() {
        ChildProcess running = process;
        if (running != null) {
            running.close();
        }
        clients.close();
    }
}
