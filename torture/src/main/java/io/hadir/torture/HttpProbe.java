package io.hadir.torture;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks the servers over HTTP for rooms and users, one after the other, and has the answers judged. */
final class HttpProbe {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final Run run;
    private final Judge judge;
    private final List<Node> nodes;
    private final int rooms;
    private final int userCount;
    private final boolean[] asking;
    private int turn;

    HttpProbe(Run run, Judge judge, List<Node> nodes, int rooms, int userCount) {
        this.run = run;
        this.judge = judge;
        this.nodes = nodes;
        this.rooms = rooms;
        this.userCount = userCount;
        this.asking = new boolean[nodes.size()];
    }

    int rooms() {
        return rooms;
    }

    /** Asks the next server for its next room or user, unless it is down or has not answered yet. Runs on the loop. */
    void askNext() {
        turn++;
        Node node = nodes.get(turn % nodes.size());
        if (node.port() == 0 || asking[node.number]) {
            return;
        }
        int round = turn / nodes.size();
        asking[node.number] = true;
        CompletableFuture<?> answered = round % 2 == 0
                ? askForRoom(node, "room-" + round / 2 % rooms)
                : askForUser(node, "p" + round / 2 % userCount);
        answered.whenComplete((done, failed) -> asking[node.number] = false);
    }

    private CompletableFuture<?> askForRoom(Node node, String room) {
        long asked = run.now();
        return ask(node, participants(room), listing -> {
            run.statistics().lists++;
            judge.judgeList("the list of server " + node.number, room, users(listing), asked);
        });
    }

    private CompletableFuture<?> askForUser(Node node, String user) {
        long asked = run.now();
        return ask(node, "users/" + user, status -> {
            run.statistics().statuses++;
            judge.judgeStatus(
                    "server " + node.number, user, status.path("online").asBoolean(), asked);
        });
    }

    /**
     * Lists a room right after a presence in it was deleted by hand: no server may still list the user, neither over
     * HTTP nor to sockets. Runs on the loop.
     *
     * @param exists whether the key exists; blocks
     */
    void listAfterDeletion(Seat seat, BooleanSupplier exists) {
        long at = run.now();
        for (Node node : nodes) {
            if (node.port() != 0) {
                String source = "the list of server " + node.number;
                ask(
                        node,
                        participants(seat.room),
                        listing -> judgeAfterDeletion(source, seat, at, users(listing), exists));
            }
        }
        judge.listByWatchers(
                seat.room, (source, listing) -> judgeAfterDeletion(source, seat, at, users(listing), exists));
    }

    private void judgeAfterDeletion(String source, Seat seat, long at, Set<String> users, BooleanSupplier exists) {
        run.statistics().listsAfterDeletion++;
        if (users.contains(seat.user)) {
            CompletableFuture.supplyAsync(exists::getAsBoolean)
                    .thenAcceptAsync(found -> judge.judgeListedAfterDeletion(source, seat, at, found), run.loop());
        }
    }

    private static String participants(String room) {
        return "rooms/" + room + "/participants?limit=1000";
    }

    private static Set<String> users(JsonNode listing) {
        Set<String> users = new HashSet<>();
        listing.path("participants").forEach(one -> users.add(one.path("userId").asString()));
        return users;
    }

    private CompletableFuture<?> ask(Node node, String what, Consumer<JsonNode> answer) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.port() + "/api/v1/" + what))
                .timeout(TIMEOUT)
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .handleAsync(
                        (response, failed) -> {
                            if (failed == null && response.statusCode() == 200) {
                                answer.accept(JSON.readTree(response.body()));
                            } else if (run.isCalm(node.number)) {
                                String code = failed == null ? "HTTP " + response.statusCode() : "no answer";
                                run.statistics().countRefused(code);
                            }
                            return node;
                        },
                        run.loop());
    }
}
