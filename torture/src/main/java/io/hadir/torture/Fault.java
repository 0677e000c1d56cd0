package io.hadir.torture;

import java.time.Duration;

/**
 * A fault of the plan.
 *
 * @param at when, from the start
 * @param node the server it is done to; for others a random number
 * @param lasts until it is made good
 */
record Fault(Duration at, FaultKind kind, int node, Duration lasts) {
    @Override
    public String toString() {
        return "%7.2f s  %s%s%s"
                .formatted(
                        at.toMillis() / 1000.0,
                        kind.words(),
                        kind.ofOneNode() ? ": server " + node : "",
                        lasts.isZero() ? "" : ", for %.2f s".formatted(lasts.toMillis() / 1000.0));
    }
}
