package io.hadir.torture;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;

/**
 * Holds what is seen against what may be: the keys in Redis, the lists of the servers, and what the watchers were told.
 * Lives on the loop.
 */
final class Judge {
    static final String JOIN_SEEN = "join: seen by the others";

    private static final long TELLING = Cause.TELLING.toNanos();
    private static final long SETTLED = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long STALLED = TimeUnit.MILLISECONDS.toNanos(300);

    private final World world;
    /** In which every list agrees with the keys. */
    private final long agreed;

    private final List<Watcher> watchers = new ArrayList<>();
    private final Set<String> wronglyOnline = new HashSet<>();

    Judge(World world) {
        this.world = world;
        agreed = world.terms().sweep().toNanos() + 2 * TELLING;
    }

    void add(Watcher watcher) {
        watchers.add(watcher);
    }

    static String told(Cause cause) {
        return cause.words() + ": told to the others";
    }

    /** Judges a list of a room, asked for and answered at these times; {@code where} says whose it is. */
    void listed(String where, String room, Set<String> users, long asked) {
        for (String user : users) {
            mayBeIn(where, world.model().seat(room, user), asked, Timeline.ALL);
        }
        for (Seat seat : world.model().seats()) {
            if (seat.room.equals(room) && !users.contains(seat.user)) {
                mayBeOut(where, seat, asked);
            }
        }
    }

    /** Judges the whole of Redis: for each room its users and its revision. */
    void looked(Map<String, Set<String>> users, Map<String, Long> revisions, Set<String> online, long asked) {
        world.tally().looks++;
        users.forEach((room, in) -> world.tally().entries += in.size());
        users.forEach((room, in) ->
                in.forEach(user -> mayBeIn("the keys in Redis", world.model().seat(room, user), asked, Timeline.ALL)));
        for (Seat seat : world.model().seats()) {
            if (!users.getOrDefault(seat.room, Set.of()).contains(seat.user)) {
                mayBeOut("the keys in Redis", seat, asked);
            }
        }
        for (Watcher watcher : watchers) {
            long revision = revisions.getOrDefault(watcher.room, 0L);
            hears(watcher, revision);
            if (watcher.sees()) {
                agrees(watcher, users.getOrDefault(watcher.room, Set.of()), revision);
            } else {
                watcher.differs.clear();
                watcher.aheadSince = Stopwatch.NEVER;
            }
        }
        watchers.forEach(this::sees);
        for (String user : world.online().users()) {
            status("the keys in Redis", user, online.contains(user), asked);
        }
        isTold();
    }

    /** Judges whether a user is online by somebody. */
    void status(String where, String user, boolean online, long asked) {
        world.online().judge(user, online, asked, (who, what) -> {
            if (wronglyOnline.add(who)) {
                world.findings().add(Findings.Kind.WRONG_ONLINE, who, what + ", by " + where);
            }
        });
    }

    /** Asks the watchers of a room for its list; each answer comes with whose it is. */
    void askWatchers(String room, BiConsumer<String, JsonNode> answered) {
        for (Watcher watcher : watchers) {
            if (watcher.room.equals(room)) {
                watcher.ask(answer -> answered.accept("the list of server " + watcher.node + " to a socket", answer));
            }
        }
    }

    /** A list that was asked for after a key was deleted has its user, whose key is there now or not. */
    void stillListed(String where, Seat seat, long deletedAt, boolean there) {
        boolean cameBack = seat.tabs.stream().anyMatch(tab -> tab.askedAt >= deletedAt);
        if (!there && !cameBack) {
            world.findings()
                    .add(
                            Findings.Kind.GHOST,
                            seat.user,
                            seat.user + " is in " + seat.room + " by " + where + ", though its key was deleted at "
                                    + Stopwatch.words(deletedAt));
        }
    }

    /**
     * What a watcher has before its eyes is what the keys say, a sweep later at the latest, whatever went wrong in between; and
     * Redis does not stay behind the revision that was told.
     */
    void agrees(Watcher watcher, Set<String> keys, long revision) {
        Set<String> shown = watcher.view.users();
        Set<String> different = new HashSet<>(keys);
        different.removeIf(shown::contains);
        shown.stream().filter(user -> !keys.contains(user)).forEach(different::add);
        watcher.differs.keySet().retainAll(different);
        different.forEach(user -> watcher.differs.putIfAbsent(user, world.now()));
        String where = " in " + watcher.room + " by what server " + watcher.node + " told, ";
        watcher.differs.replaceAll((user, since) -> {
            if (isPast(since, agreed, watcher.node)) {
                world.findings()
                        .add(
                                Findings.Kind.DISAGREES,
                                user,
                                user + (keys.contains(user) ? " is not" + where + "but" : " is" + where + "and not")
                                        + " by the keys in Redis, since " + Stopwatch.words(since));
                return world.now();
            }
            return since;
        });
        watcher.aheadSince =
                revision >= watcher.view.revision() ? Stopwatch.NEVER : Math.min(watcher.aheadSince, world.now());
        if (watcher.aheadSince != Stopwatch.NEVER && isPast(watcher.aheadSince, agreed, watcher.node)) {
            world.findings()
                    .add(
                            Findings.Kind.MISSED,
                            "",
                            "the watcher of " + watcher.room + " at server " + watcher.node + " was told of revision "
                                    + watcher.view.revision() + ", and Redis is at " + revision);
            watcher.aheadSince = world.now();
        }
    }

    private void mayBeIn(String where, Seat seat, long asked, int viewer) {
        long outBy = seat.outBy(world.timeline(), viewer);
        if (outBy == Stopwatch.NEVER) {
            return;
        }
        if (asked <= outBy) {
            return;
        }
        outBy = world.pulse().putOff(seat.goneAt(world.timeline(), viewer), outBy);
        if (asked <= outBy) {
            return;
        }
        world.tally().longestGhost = Math.max(world.tally().longestGhost, asked - outBy);
        if (!seat.ghost) {
            seat.ghost = true;
            world.findings()
                    .add(
                            Findings.Kind.GHOST,
                            seat.user,
                            seat.user + " is still in " + seat.room + " by " + where + "; it had to be out by "
                                    + Stopwatch.words(outBy));
        }
    }

    private void mayBeOut(String where, Seat seat, long asked) {
        if (seat.mustBeIn(asked, world.now(), world.terms())) {
            boolean unsure = world.pulse().stalled(world.now() - TimeUnit.SECONDS.toNanos(5), world.now()) > STALLED;
            if (unsure && !seat.missing) {
                // The loop may not have come to hearing that the connection had ended; the next look tells.
                seat.missing = true;
            } else if (!seat.ghost) {
                seat.ghost = true;
                world.findings()
                        .add(
                                Findings.Kind.FALSE_LEAVE,
                                seat.user,
                                seat.user + " is not in " + seat.room + " by " + where);
            }
        } else {
            seat.missing = false;
        }
    }

    /** What has a revision in Redis reaches every watcher. */
    private void hears(Watcher watcher, long revision) {
        if (!watcher.sees() || watcher.view.revision() >= watcher.awaited) {
            watcher.awaited = 0;
        }
        if (!watcher.sees()) {
            return;
        }
        if (watcher.awaited == 0 && revision > watcher.view.revision()) {
            watcher.awaited = revision;
            watcher.awaitedSince = world.now();
        }
        if (watcher.awaited > 0 && isPast(watcher.awaitedSince, SETTLED, watcher.node)) {
            world.findings()
                    .add(
                            Findings.Kind.MISSED,
                            "",
                            "the watcher of " + watcher.room + " at server " + watcher.node + " is at revision "
                                    + watcher.view.revision() + " and was not told of " + watcher.awaited);
            watcher.awaited = 0;
        }
        boolean settled = watcher.view.revision() == revision
                && isPast(watcher.heardAt, SETTLED, watcher.node)
                && world.isWhole(watcher.node);
        if (settled && !fits(watcher)) {
            world.findings()
                    .add(
                            Findings.Kind.WRONG_COUNT,
                            "",
                            "in " + watcher.room + " at server " + watcher.node + " " + watcher.view.count()
                                    + " were counted, but there are " + watcher.view.users());
            watcher.heardAt = world.now();
        }
    }

    /**
     * Whether as many were counted as are shown. Those are counted who are alive, so somebody may be shown and not counted
     * whose presence has just run out: until the sweep, which tells it.
     */
    boolean fits(Watcher watcher) {
        long count = watcher.view.count();
        Set<String> shown = watcher.view.users();
        if (isPast(watcher.heardAt, world.terms().toldOfLoss().toNanos(), watcher.node)) {
            return count == shown.size();
        }
        long sure = shown.stream()
                .map(user -> world.model().seat(watcher.room, user))
                .filter(seat -> seat.mustBeIn(watcher.heardAt, world.now(), world.terms()))
                .count();
        return sure <= count && count <= shown.size();
    }

    private boolean isPast(long since, long allowed, int node) {
        long deadline = world.timeline().deadline(since, allowed, node);
        return world.now() > deadline && world.now() > world.pulse().putOff(since, deadline);
    }

    /** What a watcher has before its eyes is as it must be. */
    private void sees(Watcher watcher) {
        if (!watcher.sees()) {
            return;
        }
        String where = "what server " + watcher.node + " told";
        for (String user : watcher.view.users()) {
            mayBeIn(where, world.model().seat(watcher.room, user), world.now(), watcher.node);
        }
        for (Seat seat : world.model().seats()) {
            if (seat.room.equals(watcher.room) && !watcher.view.shows(seat.user)) {
                long since = since(seat);
                if (since != Stopwatch.NEVER && isPast(Math.max(since, watcher.heardAt), SETTLED, watcher.node)) {
                    if (!seat.ghost) {
                        seat.ghost = true;
                        world.findings()
                                .add(
                                        Findings.Kind.MISSED,
                                        seat.user,
                                        seat.user + " is in " + seat.room + " and missing in " + where);
                    }
                }
            }
        }
    }

    /** Since when a user must be in by a tab that is there; never if it need not be. */
    private long since(Seat seat) {
        long since = Stopwatch.NEVER;
        for (Tab tab : seat.tabs) {
            if (tab.isThere() && tab.isSure() && seat.mustBeIn(tab.sureSince, world.now(), world.terms())) {
                since = Math.min(since, tab.sureSince);
            }
        }
        return since;
    }

    /** Nobody believes for long to be in who may be out. */
    private void isTold() {
        Terms terms = world.terms();
        long allowed = terms.sweep().plus(terms.heartbeat()).toNanos() + 3 * TELLING;
        for (Seat seat : world.model().seats()) {
            for (Tab tab : seat.tabs) {
                if (tab.isThere() && !tab.isSure() && isPast(tab.doubtedSince, allowed, tab.node)) {
                    world.findings()
                            .add(
                                    Findings.Kind.UNTOLD,
                                    seat.user,
                                    seat.user + " in " + seat.room + " at server " + tab.node
                                            + " has had no answer since " + Stopwatch.words(tab.doubtedSince));
                    tab.doubtedSince = world.now();
                }
            }
        }
    }

    /** The ears of a watcher: what it is told is held against what is known. */
    View.Listener ears(Watcher watcher, Runnable list) {
        return new View.Listener() {
            @Override
            public void joined(String user, long from) {
                heardJoined(watcher, world.model().seat(watcher.room, user));
            }

            @Override
            public void left(String user, long from, String reason) {
                heardLeft(watcher, world.model().seat(watcher.room, user), from, reason);
            }

            @Override
            public void doubled(String user, String what) {
                world.findings()
                        .add(
                                Findings.Kind.DOUBLED,
                                user,
                                user + " " + what + " in " + watcher.room + " at server " + watcher.node);
            }

            @Override
            public void hole() {
                list.run();
            }
        };
    }

    private void heardJoined(Watcher watcher, Seat seat) {
        long asked = Stopwatch.NEVER;
        int node = watcher.node;
        for (Tab tab : seat.tabs) {
            if (tab.isThere() && tab.askedAt < asked) {
                asked = tab.askedAt;
                node = tab.node;
            }
        }
        if (asked != Stopwatch.NEVER) {
            boolean calm = world.isUndisturbed(asked, node, watcher.node);
            world.tally().took(JOIN_SEEN, calm, world.now() - asked);
        }
    }

    private void heardLeft(Watcher watcher, Seat seat, long from, String reason) {
        world.story().of(seat.user, "left " + seat.room + ", " + reason + ", is told at server " + watcher.node);
        long now = world.now();
        if (seat.isClaimed()) {
            if (from >= seat.sureRevision && seat.mustBeIn(now, now, world.terms()) && !seat.ghost) {
                seat.ghost = true;
                world.findings()
                        .add(
                                Findings.Kind.FALSE_LEAVE,
                                seat.user,
                                seat.user + " was told to have left " + seat.room + " (" + reason + ") at server "
                                        + watcher.node + ", after revision " + from);
            }
            return;
        }
        Tab.Departure gone = seat.lastUndisturbed(world.terms());
        if (gone != null) {
            world.tally().took(told(gone.cause()), wasCalm(watcher, seat, gone), now - gone.at());
        }
    }

    /** Whether nothing has given more time to what had to be told, at any of the user's tabs. */
    private boolean wasCalm(Watcher watcher, Seat seat, Tab.Departure gone) {
        boolean itself = gone.cause() == Cause.KILL || gone.cause() == Cause.TERMINATE;
        // A lease that was not good all along before the kill keeps the others from judging.
        long since =
                gone.cause() == Cause.KILL ? gone.at() - world.terms().lease().toNanos() : gone.at();
        return seat.outBy(world.timeline(), watcher.node) <= gone.outBy(world.terms())
                && world.isUndisturbed(since, watcher.node, itself ? watcher.node : gone.node());
    }
}
