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

/** Asks every server by HTTP for its rooms and for users, one after the other, and has the answers judged. */
final class Lists {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final World world;
    private final Judge judge;
    private final List<Node> nodes;
    private final int rooms;
    private final int people;
    private final boolean[] asking;
    private int turn;

    Lists(World world, Judge judge, List<Node> nodes, int rooms, int people) {
        this.world = world;
        this.judge = judge;
        this.nodes = nodes;
        this.rooms = rooms;
        this.people = people;
        this.asking = new boolean[nodes.size()];
    }

    int rooms() {
        return rooms;
    }

    /** Asks the next server for its next room, or for a user, unless it is down or has not answered yet. On the loop. */
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
                : askForUser(node, "p" + round / 2 % people);
        answered.whenComplete((done, failed) -> asking[node.number] = false);
    }

    private CompletableFuture<?> askForRoom(Node node, String room) {
        long asked = world.now();
        return ask(node, participants(room), listing -> {
            world.tally().lists++;
            judge.listed("the list of server " + node.number, room, users(listing), asked);
        });
    }

    private CompletableFuture<?> askForUser(Node node, String user) {
        long asked = world.now();
        return ask(node, "users/" + user, status -> {
            world.tally().users++;
            judge.status("server " + node.number, user, status.path("online").asBoolean(), asked);
        });
    }

    /**
     * The key of a seat was deleted by hand: the very next answer of every server must not have it, by HTTP and to sockets. On
     * the loop.
     *
     * @param has whether the key is there; blocks
     */
    void deleted(Seat seat, BooleanSupplier has) {
        long at = world.now();
        for (Node node : nodes) {
            if (node.port() != 0) {
                String where = "the list of server " + node.number;
                ask(node, participants(seat.room), listing -> stillLists(where, seat, at, users(listing), has));
            }
        }
        judge.askWatchers(seat.room, (where, listing) -> stillLists(where, seat, at, users(listing), has));
    }

    private void stillLists(String where, Seat seat, long at, Set<String> users, BooleanSupplier has) {
        world.tally().afterDeletion++;
        if (users.contains(seat.user)) {
            CompletableFuture.supplyAsync(has::getAsBoolean)
                    .thenAcceptAsync(there -> judge.stillListed(where, seat, at, there), world.loop());
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
                            } else if (world.isCalm(node.number)) {
                                String code = failed == null ? "HTTP " + response.statusCode() : "no answer";
                                world.tally().refused.merge(code, 1, Integer::sum);
                            }
                            return node;
                        },
                        world.loop());
    }
}
