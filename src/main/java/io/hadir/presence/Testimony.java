package io.hadir.presence;

import io.hadir.presence.PresenceScan.Sighting;
import io.hadir.presence.Witness.Held;
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

/** What the nodes say in the course of one audit. Who does not answer once is not asked again. */
final class Testimony {
    private final Witnesses witnesses;
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    Testimony(Witnesses witnesses) {
        this.witnesses = witnesses;
    }

    /** The nodes that did not answer. */
    Set<String> missing() {
        return Set.copyOf(missing);
    }

    boolean isMissing(String node) {
        return missing.contains(node);
    }

    /** Which of the sockets at these seats are not known to their nodes, as far as those are alive and answer. */
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
            CompletionStage<Set<Held>> answer =
                    heard(question.getKey(), witness -> witness.unknown(question.getValue()));
            all = all.thenCombine(answer, (unknown, more) -> {
                unknown.addAll(more);
                return unknown;
            });
        }
        return all;
    }

    /** The sockets that a node has on seats without a presence; none if it does not answer. */
    CompletionStage<Set<Held>> lost(String node) {
        return heard(node, Witness::lost);
    }

    private CompletionStage<Set<Held>> heard(String node, Function<Witness, CompletionStage<Set<Held>>> question) {
        if (missing.contains(node)) {
            return CompletableFuture.completedFuture(Set.of());
        }
        return question.apply(witnesses.of(node)).exceptionally(silent -> {
            missing.add(node);
            return Set.of();
        });
    }
}
