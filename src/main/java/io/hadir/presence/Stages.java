package io.hadir.presence;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What can be said about several stages. */
final class Stages {
    private Stages() {}

    /** Completes when all of them have, and fails if one of them did. */
    static CompletionStage<Void> all(Collection<? extends CompletionStage<?>> stages) {
        return CompletableFuture.allOf(
                stages.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
    }
}
