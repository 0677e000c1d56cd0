package io.hadir.redis.store;

import static io.hadir.redis.store.RoomScripts.number;

import io.hadir.presence.SeatStore;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Page.FirstPage;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Participant.Evidence;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the answers that {@code room-list.lua} describes. */
public final class RoomList {
    private static final int FIRST_ENTRY = 7;
    private static final int FIELDS = 4;
    private static final int FIELDS_WITH_EVIDENCE = 5;

    /** Where the answer to a join has the next lapse and the list. */
    private static final int NEXT_LAPSE = 9;

    private static final int LIST = 10;

    private RoomList() {}

    /** How many users to ask for: one more than the limit, to learn whether there are more. */
    static int wanted(int limit, @Nullable Roster known) {
        return (known == null ? limit : Math.max(limit, Roster.MOST)) + 1;
    }

    /** The arguments of a script that say what the caller knows. */
    static List<String> known(@Nullable Roster known) {
        return known == null ? List.of("", "") : List.of(Long.toString(known.revision()), known.userIds());
    }

    /** The arguments of a join that say what to list. */
    static List<String> asked(SeatStore.@Nullable ListRequest request) {
        List<String> asked = new ArrayList<>();
        asked.add(request == null ? "0" : Integer.toString(wanted(request.limit(), request.known())));
        asked.addAll(known(request == null ? null : request.known()));
        return asked;
    }

    /** What a join has listed; empty if dead users made the list too short. */
    static Optional<JoinOutcome.View> view(SeatStore.ListRequest request, Optional<RoomChange> change, List<?> answer) {
        List<?> list = (List<?>) answer.get(LIST);
        List<Participant> found = new ArrayList<>();
        int wanted = wanted(request.limit(), request.known());
        if (isKnown(list)) {
            List<Participant> known =
                    request.known() == null ? List.of() : request.known().participants();
            addKnown(found, list, after(known, change));
        } else {
            add(found, list, false, invalid -> {});
            if (!isEnd(list) && found.size() < wanted) {
                return Optional.empty();
            }
        }
        FirstPage first = firstPage(found, number(list.get(0)), request.limit(), wanted);
        return Optional.of(new JoinOutcome.View(first, millis(answer.get(NEXT_LAPSE))));
    }

    /** Each user once, with their latest entry. */
    static List<Participant> latest(List<Participant> found) {
        Map<UserId, Participant> latest = new LinkedHashMap<>();
        for (Participant participant : found) {
            latest.remove(participant.user());
            latest.put(participant.user(), participant);
        }
        return new ArrayList<>(latest.values());
    }

    /** The participants after a join: a newcomer is the last. */
    private static List<Participant> after(List<Participant> known, Optional<RoomChange> change) {
        List<Participant> now = new ArrayList<>(known);
        if (change.orElse(null) instanceof RoomChange.Joined joined) {
            now.add(joined.participant());
        } else if (change.orElse(null) instanceof RoomChange.Updated updated) {
            now.replaceAll(each -> each.user().equals(updated.user()) ? updated.participant() : each);
        }
        return now;
    }

    static boolean isKnown(List<?> answer) {
        return answer.get(3).equals("known");
    }

    /** Whether there were entries of users who are not alive. */
    static boolean hasSkipped(List<?> answer) {
        return number(answer.get(6)) > 0;
    }

    static boolean isEnd(List<?> answer) {
        return answer.get(3).equals("1");
    }

    /** The first page of these participants, who are everybody if they are fewer than wanted. */
    static FirstPage firstPage(List<Participant> found, long revision, int limit, int wanted) {
        return new FirstPage(
                page(found, revision, limit, false), found.size() < wanted ? new Roster(revision, found) : null);
    }

    static Page page(List<Participant> found, long revision, int limit, boolean skipped) {
        boolean more = found.size() > limit;
        List<Participant> page = more ? found.subList(0, limit) : found;
        return new Page(List.copyOf(page), more ? page.get(limit - 1).position() : null, revision, skipped);
    }

    /** Adds the participants of a short answer, who are these. */
    static void addKnown(List<Participant> found, List<?> answer, List<Participant> known) {
        Time time = Time.of(answer);
        int i = FIRST_ENTRY;
        for (Participant participant : known) {
            if (i == answer.size()) {
                // The newcomer, who has joined in the same step.
                found.add(participant);
                break;
            }
            Object entry = answer.get(i++);
            Instant active;
            if (participant.state() == Participant.State.AWAY) {
                // They were last active before they went away, as the change said that announced it.
                active = participant.lastActiveAt();
            } else if (entry instanceof List<?> endAndDetails) {
                Details details = Details.parse((String) endAndDetails.get(1));
                active = time.lastActive(participant.joinedAt(), number(endAndDetails.get(0)), details);
            } else {
                active = time.lastActive(participant.joinedAt(), number(entry), null);
            }
            found.add(participant.lastActive(active));
        }
    }

    /** Adds the participants of a long answer, and reports entries that are no user ids. */
    static void add(List<Participant> found, List<?> answer, boolean withEvidence, Consumer<String> invalid) {
        int fields = withEvidence ? FIELDS_WITH_EVIDENCE : FIELDS;
        Time time = Time.of(answer);
        for (int i = FIRST_ENTRY; i + fields <= answer.size(); i += fields) {
            int entry = i;
            String listed = (String) answer.get(i);
            UserId.decode(listed)
                    .ifPresentOrElse(
                            user -> found.add(participant(user, answer, entry, time, withEvidence)),
                            () -> invalid.accept(listed));
        }
    }

    /** The participant whose entry begins here in the answer. */
    public static Participant participant(UserId user, List<?> answer, int i, boolean withEvidence) {
        return participant(user, answer, i, Time.of(answer), withEvidence);
    }

    private static Participant participant(UserId user, List<?> answer, int i, Time time, boolean withEvidence) {
        Instant joined = Instant.ofEpochMilli(number(answer.get(i + 1)));
        long ends = number(answer.get(i + 2));
        Details details = Details.parse((String) answer.get(i + 3));
        String username = details == null || details.username() == null ? user.value() : details.username();
        return new Participant(
                user,
                username,
                joined,
                time.lastActive(joined, ends, details),
                details != null && details.away() ? Participant.State.AWAY : Participant.State.ACTIVE,
                details == null ? null : details.data(),
                withEvidence ? evidence((String) answer.get(i + 4), time.left(ends), details) : null);
    }

    private static Evidence evidence(String socket, @Nullable Duration left, @Nullable Details details) {
        SocketId named = socket.isEmpty() ? null : new SocketId(socket);
        return details == null || !details.sockets().isEmpty()
                ? new Evidence(named, left, false, false)
                : new Evidence(named, left, !details.held(), details.held());
    }

    /** A time that a script gave in ms; none if it is negative. */
    static Optional<Duration> millis(Object value) {
        long millis = number(value);
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    /** The time of an answer and the room's TTL. */
    private record Time(long now, long ttl) {
        static Time of(List<?> answer) {
            return new Time(number(answer.get(1)), number(answer.get(2)));
        }

        /**
         * A presence gets its whole TTL whenever the user is active. For one that ends with its grace period, and for a
         * user who is away, the details have the time.
         */
        Instant lastActive(Instant joined, long ends, @Nullable Details details) {
            long active =
                    details != null && (details.away() || (details.graceUntil() > 0 && ends <= details.graceUntil()))
                            ? details.lastActiveAt()
                            : ends - ttl;
            long joinedAt = joined.toEpochMilli();
            long clamped = Math.max(joinedAt, Math.min(now, active));
            return clamped == joinedAt ? joined : Instant.ofEpochMilli(clamped);
        }

        /** The remaining time of a presence; null if it has no TTL. */
        @Nullable
        Duration left(long ends) {
            return ends < 0 ? null : Duration.ofMillis(Math.max(0, ends - now));
        }
    }
}
