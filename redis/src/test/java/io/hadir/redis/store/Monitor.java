package io.hadir.redis.store;

import io.hadir.testing.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Every command that Redis takes, those inside of scripts included, as {@code MONITOR} shows them. */
final class Monitor implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Monitor(TestRedis redis) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), redis.port());
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        String password = redis.url().replaceFirst("redis://:", "").replaceFirst("@.*", "");
        send("AUTH " + password);
        send("MONITOR");
    }

    private void send(String command) throws IOException {
        socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
        String answer = in.readLine();
        if (!"+OK".equals(answer)) {
            throw new IOException(answer);
        }
    }

    /** The lines up to the one with this text, which the test must send. */
    List<String> until(String text) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = in.readLine(); line != null && !line.contains(text); line = in.readLine()) {
            lines.add(line);
        }
        return lines;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
