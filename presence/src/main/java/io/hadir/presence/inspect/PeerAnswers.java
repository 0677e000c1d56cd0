package io.hadir.presence.inspect;

import io.hadir.presence.Peer;
import io.hadir.presence.Peer.Held;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The answers of all nodes during one audit. A node that fails to answer once is not asked again. */
final class PeerAnswers {
    private final Peers peers;
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    PeerAnswers(Peers peers) {
        this.peers = peers;
    }

    /** The nodes that did not answer. */
    Set<String> missing() {
        return Set.copyOf(missing);
    }

    boolean isMissing(String node) {
        return missing.contains(node);
    }

    /** The sockets that do not hold these seats according to their own nodes. Ignores dead and silent nodes. */
    CompletionStage<Set<Held>> unknown(List<Sighting> sightings, Set<String> alive) {
        Map<String, List<Sighting>> questions = new HashMap<>();
        for (Sighting sighting : sightings) {
            Set<String> asked = new HashSet<>();
            for (SocketId socket : sighting.sockets()) {
                if (alive.contains(socket.node()) && asked.add(socket.node())) {
                    questions
                            .computeIfAbsent(socket.node(), node -> new ArrayList<>())
                            .add(sighting);
                }
            }
        }
        CompletionStage<Set<Held>> all = CompletableFuture.completedFuture(new HashSet<>());
        for (Map.Entry<String, List<Sighting>> question : questions.entrySet()) {
            CompletionStage<Set<Held>> answer = ask(question.getKey(), peer -> peer.unknown(question.getValue()));
            all = all.thenCombine(answer, (unknown, more) -> {
                unknown.addAll(more);
                return unknown;
            });
        }
        return all;
    }

    /** A node's sockets in rooms where their users have no presence; none if it does not answer. */
    CompletionStage<Set<Held>> lost(String node) {
        return ask(node, Peer::lost);
    }

    private CompletionStage<Set<Held>> ask(String node, Function<Peer, CompletionStage<Set<Held>>> question) {
        if (missing.contains(node)) {
            return CompletableFuture.completedFuture(Set.of());
        }
        return question.apply(peers.of(node)).exceptionally(silent -> {
            missing.add(node);
            return Set.of();
        });
    }
}
