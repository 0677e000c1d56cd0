package io.hadir.testing;

import io.hadir.testing.RawConnection.Response;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An Engine.IO session over long-polling, on two keep-alive connections: one for GET and one for POST. */
public final class PollingClient implements AutoCloseable {
    private static final Pattern SID = Pattern.compile("\"sid\":\"([^\"]+)\"");

    private final int port;
    private final String path;
    private final RawConnection fetching;
    private final RawConnection sending;
    private final String open;
    private final Deque<String> packets = new ArrayDeque<>();

    public PollingClient(int port, String path) throws IOException {
        this.port = port;
        this.path = path + "?EIO=4&transport=polling";
        fetching = new RawConnection(port);
        sending = new RawConnection(port);
        open = fetching.get(this.path).response().body();
    }

    /** The open packet of the server. */
    public String open() {
        return open;
    }

    public String sid() {
        Matcher sid = SID.matcher(open);
        if (!sid.find()) {
            throw new IllegalStateException("no sid in " + open);
        }
        return sid.group(1);
    }

    public String target() {
        return path + "&sid=" + sid();
    }

    /** Starts a poll without waiting for its answer. */
    public RawConnection poll() throws IOException {
        return fetching.get(target());
    }

    /** Polls once and returns the answer. */
    public Response fetch() throws IOException {
        return poll().response();
    }

    /** Posts these packets and returns the answer. */
    public Response send(String... several) throws IOException {
        return sending.post(target(), String.join("\u001e", several)).response();
    }

    /** The next packet that is not a ping. Polls as often as needed and answers pings. */
    public String packet() throws IOException {
        while (true) {
            while (packets.isEmpty()) {
                packets.addAll(List.of(fetch().body().split("\u001e", -1)));
            }
            String packet = packets.remove();
            if (!packet.equals("2")) {
                return packet;
            }
            send("3");
        }
    }

    /** Opens a WebSocket for this session and sends nothing on it yet. */
    public RawWebSocket offer() throws IOException {
        return RawWebSocket.open(port, target().replace("transport=polling", "transport=websocket"));
    }

    /** Upgrades as clients do: probe, wait for the answer, upgrade. No poll may be open. */
    public RawWebSocket upgrade() throws IOException {
        RawWebSocket socket = offer().send("2probe");
        String answer = socket.next().text();
        if (!answer.equals("3probe")) {
            throw new IOException("the probe was answered by " + answer);
        }
        return socket.send("5");
    }

    /** Closes both connections with RST. */
    public void reset() throws IOException {
        fetching.reset();
        sending.reset();
    }

    @Override
    public void close() throws IOException {
        fetching.close();
        sending.close();
    }
}
