package io.hadir.torture;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks every server by HTTP for its rooms, one after the other, and has the answers judged. */
final class Lists {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final World world;
    private final Judge judge;
    private final List<Node> nodes;
    private final int rooms;
    private final boolean[] asking;
    private int turn;

    Lists(World world, Judge judge, List<Node> nodes, int rooms) {
        this.world = world;
        this.judge = judge;
        this.nodes = nodes;
        this.rooms = rooms;
        this.asking = new boolean[nodes.size()];
    }

    /** Asks the next server for its next room, unless it is down or has not answered yet. On the loop. */
    void askNext() {
        turn++;
        Node node = nodes.get(turn % nodes.size());
        String room = "room-" + turn / nodes.size() % rooms;
        if (node.port() == 0 || asking[node.number]) {
            return;
        }
        long asked = world.now();
        asking[node.number] = true;
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + node.port() + "/api/v1/rooms/" + room + "/participants?limit=1000"))
                .timeout(TIMEOUT)
                .build();
        http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .whenCompleteAsync(
                        (response, failed) -> {
                            asking[node.number] = false;
                            if (failed == null && response.statusCode() == 200) {
                                world.tally().lists++;
                                take(node, room, JSON.readTree(response.body()), asked);
                            } else if (world.isCalm(node.number)) {
                                String code = failed == null ? "HTTP " + response.statusCode() : "no answer";
                                world.tally().refused.merge(code, 1, Integer::sum);
                            }
                        },
                        world.loop());
    }

    private void take(Node node, String room, JsonNode listing, long asked) {
        Set<String> users = new HashSet<>();
        listing.path("participants").forEach(one -> users.add(one.path("userId").asString()));
        judge.listed("the list of server " + node.number, room, users, asked);
    }
}
