package io.hadir.redis.link;

import io.hadir.presence.room.PresenceSettings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in plain words what is wrong with the link, and logs every change once. It changes on the link's thread only.
 */
final class LinkHealth {
    private static final Logger LOG = LoggerFactory.getLogger(LinkHealth.class);
    private static final String NOT_YET = "Redis has not been reached yet";

    private final String address;
    private final List<ConnectionHealth<?>> connections = new CopyOnWriteArrayList<>();
    private volatile @Nullable MasterHealth masters;
    private @Nullable String loggedTrouble = NOT_YET;
    private List<String> loggedMasters = List.of();

    LinkHealth(String address) {
        this.address = address;
    }

    /** Watches one more connection, which reports to the returned events. */
    <C> ReconnectingConnection.Events<C> watch(Runnable onUp) {
        ConnectionHealth<C> health = new ConnectionHealth<>(onUp);
        connections.add(health);
        return health;
    }

    /** Watches the masters of a cluster as well. */
    void watch(MasterHealth ofCluster) {
        masters = ofCluster;
    }

    /** What makes all of Redis unusable; empty if nothing does. */
    Optional<String> trouble() {
        Optional<String> trouble = connections.stream()
                .flatMap(connection -> Optional.ofNullable(connection.trouble).stream())
                .findFirst()
                .or(this::slowInWords);
        MasterHealth ofCluster = masters;
        return trouble.isEmpty() && ofCluster != null && ofCluster.areAllAway()
                ? Optional.of(inWords(ofCluster.inWords()))
                : trouble;
    }

    /** What is wrong with some masters of a cluster while others work; empty if nothing is. */
    Optional<String> partlyAway() {
        List<String> words = mastersInWords();
        return words.isEmpty() || trouble().isPresent() ? Optional.empty() : Optional.of(inWords(words));
    }

    private Optional<String> slowInWords() {
        return connections.stream().anyMatch(connection -> connection.slowness.isSlow())
                ? Optional.of(inWords("it answers too slowly (expected: within "
                        + PresenceSettings.STORE_ANSWER_TIME.toMillis() + " ms)"))
                : Optional.empty();
    }

    private List<String> mastersInWords() {
        MasterHealth ofCluster = masters;
        return ofCluster == null ? List.of() : ofCluster.inWords();
    }

    private String inWords(List<String> ofMasters) {
        return inWords(String.join("; ", ofMasters));
    }

    /** One sentence: "it" is Redis. */
    private String inWords(String what) {
        return "Redis at " + address + (what.startsWith("it ") ? what.substring(2) : ": " + what);
    }

    /** Logs what has changed since the last call. */
    void log() {
        String trouble = trouble().orElse(null);
        if (!Objects.equals(trouble, loggedTrouble)) {
            loggedTrouble = trouble;
            if (trouble == null) {
                LOG.info("Redis at {} is connected", address);
            } else {
                LOG.warn("{}", trouble);
            }
        }
        List<String> ofMasters = trouble == null ? mastersInWords() : List.of();
        if (!ofMasters.equals(loggedMasters)) {
            loggedMasters = ofMasters;
            if (!ofMasters.isEmpty()) {
                LOG.warn("{}; rooms and users there are unavailable, all others work", inWords(ofMasters));
            } else if (trouble == null) {
                LOG.info("Redis at {}: every master can be reached again", address);
            }
        }
    }

    /** The state of one connection across reconnects. */
    private final class ConnectionHealth<C> implements ReconnectingConnection.Events<C> {
        private final Runnable onUp;
        private final Slowness slowness = new Slowness(PresenceSettings.STORE_ANSWER_TIME);
        private volatile @Nullable String trouble = NOT_YET;

        ConnectionHealth(Runnable onUp) {
            this.onUp = onUp;
        }

        @Override
        public void up(C connection) {
            trouble = null;
            onUp.run();
            log();
        }

        @Override
        public void down(@Nullable Throwable cause) {
            trouble = inWords(RedisErrorText.inWords(cause));
            log();
        }

        @Override
        public void answered(Duration took) {
            if (slowness.changes(took)) {
                log();
            }
        }
    }

    /**
     * Decides whether Redis is too slow to answer clients in time. Only several answers in a row change the decision;
     * to count as quick again, they must be clearly below the limit. Safe for any thread to read.
     */
    static final class Slowness {
        private static final int IN_A_ROW = 3;

        private final Duration slowest;
        private final Duration quick;
        private volatile boolean slow;
        private int contrary;

        /**
         * Nothing is slow yet.
         *
         * @param slowest an answer that takes longer is too slow
         */
        Slowness(Duration slowest) {
            this.slowest = slowest;
            this.quick = slowest.multipliedBy(3).dividedBy(4);
        }

        boolean isSlow() {
            return slow;
        }

        /** Takes one more answer into account; true if that changes the decision. */
        boolean changes(Duration took) {
            boolean otherwise = slow ? took.compareTo(quick) <= 0 : took.compareTo(slowest) > 0;
            contrary = otherwise ? contrary + 1 : 0;
            if (contrary < IN_A_ROW) {
                return false;
            }
            contrary = 0;
            slow = !slow;
            return true;
        }
    }
}
