package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import io.hadir.torture.Findings.Kind;
import io.hadir.torture.Seat.Claim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;

/**
 * Compares what is visible from outside with what the models allow, and reports every difference. It sees the keys in
 * Redis, the lists of the servers, and the messages that the watchers receive. Confined to the event loop.
 */
final class Judge {
    static final String JOIN_SEEN = "join: seen by the others";

    private static final String KEYS = "the keys in Redis";
    private static final long ANNOUNCING = Cause.ANNOUNCING.toNanos();
    private static final long SETTLED = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long STALLED = TimeUnit.MILLISECONDS.toNanos(300);

    private final Run run;
    /** How long a watcher's view may differ from the keys. */
    private final long agreement;

    private final List<Watcher> watchers = new ArrayList<>();
    private final Set<String> wronglyOnline = new HashSet<>();

    Judge(Run run) {
        this.run = run;
        agreement = run.settings().sweep().toNanos() + 2 * ANNOUNCING;
    }

    void add(Watcher watcher) {
        watchers.add(watcher);
    }

    /** The name of the time from a departure until the others were told. */
    static String told(Cause cause) {
        return cause.words() + ": told to the others";
    }

    /**
     * Judges a list of a room.
     *
     * @param source whose list it is
     * @param asked when it was asked for
     */
    void judgeList(String source, String room, Set<String> users, long asked) {
        for (String user : users) {
            judgeListed(source, run.model().seat(room, user), asked, FaultTimeline.ALL);
        }
        for (Seat seat : run.model().seats()) {
            if (seat.room.equals(room) && !users.contains(seat.user)) {
                judgeNotListed(source, seat, asked);
            }
        }
    }

    /**
     * Judges all of Redis.
     *
     * @param users the users of each room
     * @param revisions the revision of each room
     * @param online everybody who is online
     * @param asked when the snapshot was asked for
     */
    void judgeRedis(Map<String, Set<String>> users, Map<String, Long> revisions, Set<String> online, long asked) {
        run.statistics().snapshots++;
        users.forEach((room, in) -> {
            run.statistics().presences += in.size();
            in.forEach(user -> judgeListed(KEYS, run.model().seat(room, user), asked, FaultTimeline.ALL));
        });
        for (Seat seat : run.model().seats()) {
            if (!users.getOrDefault(seat.room, Set.of()).contains(seat.user)) {
                judgeNotListed(KEYS, seat, asked);
            }
        }
        for (Watcher watcher : watchers) {
            long revision = revisions.getOrDefault(watcher.room, 0L);
            judgeMessages(watcher, revision);
            if (watcher.hasView()) {
                compareViewWithKeys(watcher, users.getOrDefault(watcher.room, Set.of()), revision);
            } else {
                watcher.differentSince.clear();
                watcher.aheadSince = Stopwatch.NEVER;
            }
        }
        watchers.forEach(this::judgeView);
        for (String user : run.online().users()) {
            judgeStatus(KEYS, user, online.contains(user), asked);
        }
        judgeUntold();
    }

    /** Judges whether a user may be online, or offline, as the source says. */
    void judgeStatus(String source, String user, boolean online, long asked) {
        run.online().judge(user, online, asked, mistake -> {
            if (wronglyOnline.add(user)) {
                run.report(Kind.WRONG_ONLINE, user, mistake + ", by " + source);
            }
        });
    }

    /** Asks the watchers of a room for its list; each answer comes with its source. */
    void listByWatchers(String room, BiConsumer<String, JsonNode> answered) {
        for (Watcher watcher : watchers) {
            if (watcher.room.equals(room)) {
                watcher.list(answer -> answered.accept("the list of server " + watcher.node + " to a socket", answer));
            }
        }
    }

    /**
     * Judges a list that shows a user after their key was deleted.
     *
     * @param keyExists whether the key exists again
     */
    void judgeListedAfterDeletion(String source, Seat seat, long deletedAt, boolean keyExists) {
        boolean returned = seat.claims.stream().anyMatch(claim -> claim.joinSentAt >= deletedAt);
        if (!keyExists && !returned) {
            run.report(
                    Kind.GHOST,
                    seat.user,
                    "%s is in %s by %s, though their key was deleted at %s"
                            .formatted(seat.user, seat.room, source, Stopwatch.format(deletedAt)));
        }
    }

    /** A listed user must not be overdue to be out. */
    private void judgeListed(String source, Seat seat, long asked, int viewer) {
        long outBy = seat.outBy(run.timeline(), viewer);
        if (asked <= outBy) {
            return;
        }
        outBy = run.stalls().postpone(seat.goneAt(run.timeline(), viewer), outBy);
        if (asked <= outBy) {
            return;
        }
        run.statistics().longestGhost = Math.max(run.statistics().longestGhost, asked - outBy);
        reportOnce(
                Kind.GHOST,
                seat,
                "%s is still in %s by %s; they had to be out by %s"
                        .formatted(seat.user, seat.room, source, Stopwatch.format(outBy)));
    }

    /** A user who must be in must be listed. */
    private void judgeNotListed(String source, Seat seat, long asked) {
        if (!seat.mustBeIn(asked, run.now(), run.settings())) {
            seat.suspectedMissing = false;
            return;
        }
        boolean slow = run.stalls().between(run.now() - TimeUnit.SECONDS.toNanos(5), run.now()) > STALLED;
        if (slow && !seat.suspectedMissing) {
            // This process may not have seen yet that the connection ended; the next snapshot decides.
            seat.suspectedMissing = true;
            return;
        }
        reportOnce(Kind.FALSE_LEAVE, seat, seat.user + " is not in " + seat.room + " by " + source);
    }

    private void reportOnce(Kind kind, Seat seat, String what) {
        if (!seat.reported) {
            seat.reported = true;
            run.report(kind, seat.user, what);
        }
    }

    /**
     * A watcher's view must agree with the keys within a sweep, whatever went wrong before. Redis must not stay behind
     * a revision that it announced.
     */
    void compareViewWithKeys(Watcher watcher, Set<String> keys, long revision) {
        Set<String> shown = watcher.view.users();
        Set<String> different = new HashSet<>(keys);
        different.removeIf(shown::contains);
        shown.stream().filter(user -> !keys.contains(user)).forEach(different::add);
        watcher.differentSince.keySet().retainAll(different);
        different.forEach(user -> watcher.differentSince.putIfAbsent(user, run.now()));
        watcher.differentSince.replaceAll((user, since) -> {
            if (!isOverdue(since, agreement, watcher.node)) {
                return since;
            }
            boolean inKeys = keys.contains(user);
            run.report(
                    Kind.DISAGREES,
                    user,
                    "%s %s in %s by what server %d told, %s by the keys in Redis, since %s"
                            .formatted(
                                    user,
                                    inKeys ? "is not" : "is",
                                    watcher.room,
                                    watcher.node,
                                    inKeys ? "but" : "and not",
                                    Stopwatch.format(since)));
            return run.now();
        });
        watcher.aheadSince =
                revision >= watcher.view.revision() ? Stopwatch.NEVER : Math.min(watcher.aheadSince, run.now());
        if (watcher.aheadSince != Stopwatch.NEVER && isOverdue(watcher.aheadSince, agreement, watcher.node)) {
            run.report(
                    Kind.MISSED,
                    "",
                    "the watcher of %s at server %d heard of revision %d, but Redis is at %d"
                            .formatted(watcher.room, watcher.node, watcher.view.revision(), revision));
            watcher.aheadSince = run.now();
        }
    }

    /** Every revision in Redis must reach every watcher, with a count that fits. */
    private void judgeMessages(Watcher watcher, long revision) {
        if (!watcher.hasView() || watcher.view.revision() >= watcher.awaited) {
            watcher.awaited = 0;
        }
        if (!watcher.hasView()) {
            return;
        }
        if (watcher.awaited == 0 && revision > watcher.view.revision()) {
            watcher.awaited = revision;
            watcher.awaitedSince = run.now();
        }
        if (watcher.awaited > 0 && isOverdue(watcher.awaitedSince, SETTLED, watcher.node)) {
            run.report(
                    Kind.MISSED,
                    "",
                    "the watcher of %s at server %d is at revision %d and never heard of %d"
                            .formatted(watcher.room, watcher.node, watcher.view.revision(), watcher.awaited));
            watcher.awaited = 0;
        }
        boolean settled = watcher.view.revision() == revision
                && isOverdue(watcher.heardAt, SETTLED, watcher.node)
                && run.isWhole(watcher.node);
        if (settled && !countFits(watcher)) {
            run.report(
                    Kind.WRONG_COUNT,
                    "",
                    "in %s server %d counted %d, but there are %s"
                            .formatted(watcher.room, watcher.node, watcher.view.count(), watcher.view.users()));
            watcher.heardAt = run.now();
        }
    }

    /**
     * Whether the count fits the users that a watcher sees. Only live presences are counted, so the view may show a
     * user whose presence has just expired until the sweep announces it.
     */
    boolean countFits(Watcher watcher) {
        long count = watcher.view.count();
        Set<String> shown = watcher.view.users();
        if (isOverdue(watcher.heardAt, run.settings().lossAnnounced().toNanos(), watcher.node)) {
            return count == shown.size();
        }
        long certain = shown.stream()
                .map(user -> run.model().seat(watcher.room, user))
                .filter(seat -> seat.mustBeIn(watcher.heardAt, run.now(), run.settings()))
                .count();
        return certain <= count && count <= shown.size();
    }

    private boolean isOverdue(long since, long allowed, int node) {
        long deadline = run.timeline().deadline(since, allowed, node);
        return run.now() > deadline && run.now() > run.stalls().postpone(since, deadline);
    }

    /** A watcher must see everybody who must be in, and nobody who must be out. */
    private void judgeView(Watcher watcher) {
        if (!watcher.hasView()) {
            return;
        }
        String source = "what server " + watcher.node + " told";
        for (String user : watcher.view.users()) {
            judgeListed(source, run.model().seat(watcher.room, user), run.now(), watcher.node);
        }
        for (Seat seat : run.model().seats()) {
            if (seat.room.equals(watcher.room) && !watcher.view.shows(seat.user)) {
                long since = certainSince(seat);
                if (since != Stopwatch.NEVER && isOverdue(Math.max(since, watcher.heardAt), SETTLED, watcher.node)) {
                    reportOnce(Kind.MISSED, seat, seat.user + " is in " + seat.room + " and missing in " + source);
                }
            }
        }
    }

    /** Since when an active claim requires the user to be in; never if none does. */
    private long certainSince(Seat seat) {
        long since = Stopwatch.NEVER;
        for (Claim claim : seat.claims) {
            if (claim.isActive() && claim.isCertain() && seat.mustBeIn(claim.certainSince, run.now(), run.settings())) {
                since = Math.min(since, claim.certainSince);
            }
        }
        return since;
    }

    /** A client that may be out must soon learn whether it is. */
    private void judgeUntold() {
        ServerSettings settings = run.settings();
        long allowed = settings.sweep().plus(settings.heartbeat()).toNanos() + 3 * ANNOUNCING;
        for (Seat seat : run.model().seats()) {
            for (Claim claim : seat.claims) {
                if (claim.isActive()
                        && !claim.isCertain()
                        && isOverdue(run.model().provableSince(claim), allowed, claim.node)) {
                    run.report(
                            Kind.UNTOLD,
                            seat.user,
                            "%s in %s at server %d has had no answer since %s"
                                    .formatted(seat.user, seat.room, claim.node, Stopwatch.format(claim.doubtedSince)));
                    claim.doubtedSince = run.now();
                }
            }
        }
    }

    /**
     * Judges every message that a watcher receives.
     *
     * @param listAgain lists the room after a gap in the revisions
     */
    RoomView.Listener listener(Watcher watcher, Runnable listAgain) {
        return new RoomView.Listener() {
            @Override
            public void joined(String user, long fromRevision) {
                measureJoin(watcher, run.model().seat(watcher.room, user));
            }

            @Override
            public void left(String user, long fromRevision, String reason) {
                judgeLeft(watcher, run.model().seat(watcher.room, user), fromRevision, reason);
            }

            @Override
            public void doubled(String user, String what) {
                run.report(
                        Kind.DOUBLED, user, user + " " + what + " in " + watcher.room + " at server " + watcher.node);
            }

            @Override
            public void gap() {
                listAgain.run();
            }
        };
    }

    private void measureJoin(Watcher watcher, Seat seat) {
        long sent = Stopwatch.NEVER;
        int node = watcher.node;
        for (Claim claim : seat.claims) {
            if (claim.isActive() && claim.joinSentAt < sent) {
                sent = claim.joinSentAt;
                node = claim.node;
            }
        }
        if (sent != Stopwatch.NEVER) {
            run.statistics().measure(JOIN_SEEN, run.isUndisturbed(sent, node, watcher.node), run.now() - sent);
        }
    }

    /** A server must not announce that a user left who must be in. */
    private void judgeLeft(Watcher watcher, Seat seat, long fromRevision, String reason) {
        run.history()
                .record(
                        seat.user,
                        "server %d announces that they left %s (%s)".formatted(watcher.node, seat.room, reason));
        long now = run.now();
        if (seat.isClaimed()) {
            if (fromRevision >= seat.inSinceRevision && seat.mustBeIn(now, now, run.settings())) {
                reportOnce(
                        Kind.FALSE_LEAVE,
                        seat,
                        "server %d announced that %s left %s (%s), after revision %d"
                                .formatted(watcher.node, seat.user, seat.room, reason, fromRevision));
            }
            return;
        }
        Departure gone = seat.lastDeparture(run.settings());
        if (gone != null) {
            run.statistics().measure(told(gone.cause()), wasUndisturbed(watcher, seat, gone), now - gone.at());
        }
    }

    /** Whether no fault gave the announcement of a departure more time. */
    private boolean wasUndisturbed(Watcher watcher, Seat seat, Departure gone) {
        boolean nodeEnded = gone.cause() == Cause.KILL || gone.cause() == Cause.TERMINATE;
        // The other servers may act on a kill only if their leases were good all along.
        long since =
                gone.cause() == Cause.KILL ? gone.at() - run.settings().lease().toNanos() : gone.at();
        return seat.outBy(run.timeline(), watcher.node) <= gone.outBy(run.settings())
                && run.isUndisturbed(since, watcher.node, nodeEnded ? watcher.node : gone.node());
    }
}
