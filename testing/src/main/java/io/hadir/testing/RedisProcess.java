package io.hadir.testing;

import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Redis that can be killed and started again on the same port, with its data or empty. */
public final class RedisProcess implements AutoCloseable {
    private final Path server;
    private final Path directory;
    private final int port;
    private final boolean persistent;
    private Process process;

    public RedisProcess(Path directory, boolean persistent) throws IOException {
        this.directory = directory;
        this.persistent = persistent;
        server = EmbeddedRedis.unpack(directory);
        port = EmbeddedRedis.freePort();
        process = launch();
    }

    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    /** As {@code kill -9}. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    public void startAgain() throws IOException {
        process = launch();
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                server.toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                directory.toString(),
                "--save",
                ""));
        if (persistent) {
            command.addAll(List.of("--appendonly", "yes", "--appendfsync", "always"));
        }
        Process launched = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        await().until(() -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException notYet) {
                return false;
            }
        });
        return launched;
    }

    @Override
    public void close() {
        kill();
    }
}
