package io.hadir.server.trunk;

import java.util.concurrent.CompletionStage;

/** The latest epoch of each app process, the same for all nodes. */
@FunctionalInterface
public interface Epochs {
    /**
     * Records an epoch of a process unless a later one is known, keeps the record for a while, and returns the latest.
     */
    CompletionStage<Long> raise(String process, long epoch);
}
