package io.hadir.server;

import io.hadir.server.cli.Cli;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Starts a server with its own Redis, lets a few users join and leave, and ends. The JVM that runs it records which
 * classes it loaded, and later starts load them faster. {@code docs/operate/install.md} says how.
 */
final class Rehearsal {
    private static final int WAVES = 3;
    private static final int USERS = 20;
    private static final long ANSWER_SECONDS = 10;

    private Rehearsal() {}

    public static void main(String[] arguments) throws Exception {
        Console.install();
        ByteArrayOutputStream banner = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(banner, true, StandardCharsets.UTF_8);
        OptionalInt failed = Main.run(List.of("--port=0", "--host=127.0.0.1"), Map.of(), out, System.err);
        if (failed.isPresent()) {
            System.exit(failed.getAsInt());
        }
        Matcher url = Pattern.compile("http://(\\S+:\\d+)/").matcher(banner.toString(StandardCharsets.UTF_8));
        if (url.find()) {
            rehearse(url.group(1));
        }
        System.exit(0);
    }

    private static void rehearse(String address) throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        for (int wave = 0; wave < WAVES; wave++) {
            comeAndGo(http, address, wave);
            for (String path : List.of("/readyz", "/healthz", "/metrics", "/", "/api/v1/rooms", "/api/v1/stats")) {
                get(http, "http://" + address + path);
            }
            poll(http, "http://" + address + "/socket.io/?EIO=4&transport=polling");
        }
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Cli.run(List.of("rooms", "--url=http://" + address), Map.of(), nowhere, nowhere);
    }

    private static void comeAndGo(HttpClient http, String address, int wave) throws Exception {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            clients.add(new Client(http, address, "user-" + wave + "-" + i));
        }
        for (Client client : clients) {
            client.ask("join_room", "{\"roomId\":\"rehearsal\",\"username\":\"" + client.user + "\"}");
        }
        for (Client client : clients) {
            client.ask("room:heartbeat", "{\"roomId\":\"rehearsal\"}");
            client.ask("room:participants", "{\"roomId\":\"rehearsal\"}");
            client.ask("room:focus", "{\"roomId\":\"rehearsal\"}");
            client.ask("leave_room", "{\"roomId\":\"rehearsal\"}");
            client.close();
        }
    }

    private static void poll(HttpClient http, String url) throws Exception {
        String opened = get(http, url);
        String session = opened.replaceFirst("(?s).*\"sid\":\"([^\"]+)\".*", "$1");
        HttpRequest connect = HttpRequest.newBuilder(URI.create(url + "&sid=" + session))
                .POST(HttpRequest.BodyPublishers.ofString("40{\"userId\":\"poller\"}"))
                .build();
        http.send(connect, HttpResponse.BodyHandlers.discarding());
        get(http, url + "&sid=" + session);
    }

    private static String get(HttpClient http, String url) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** A Socket.IO client over WebSocket. */
    private static final class Client implements WebSocket.Listener {
        final String user;
        private final WebSocket socket;
        private final StringBuilder part = new StringBuilder();
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

        Client(HttpClient http, String address, String user) throws Exception {
            this.user = user;
            socket = http.newWebSocketBuilder()
                    .buildAsync(URI.create("ws://" + address + "/socket.io/?EIO=4&transport=websocket"), this)
                    .join();
            await("0{");
            socket.sendText("40{\"userId\":\"" + user + "\"}", true).join();
            await("40");
        }

        void ask(String event, String payload) throws Exception {
            socket.sendText("420[\"" + event + "\"," + payload + "]", true).join();
            await("430");
        }

        void close() {
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        }

        private void await(String start) throws Exception {
            String message;
            do {
                message = received.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
                if (message == null) {
                    throw new TimeoutException("no " + start + " for " + user);
                }
            } while (!message.startsWith(start));
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            part.append(data);
            if (last) {
                received.add(part.toString());
                part.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
