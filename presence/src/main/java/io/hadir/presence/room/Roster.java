package io.hadir.presence.room;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The participants of a small room at a revision, in the order of joining, as a node remembers them. It saves reading
 * their names again, but proves nothing: a list still asks Redis which of them are alive and whether others are.
 *
 * @param participants their {@code lastActiveAt} is not up to date
 */
public record Roster(long revision, List<Participant> participants) {
    /** A longer roster would cost too much memory, and too much traffic with every list. */
    public static final int MOST = 200;

    /** Nothing is known yet. */
    public static final Roster UNKNOWN = new Roster(0, List.of());

    private static final Comparator<Participant> ORDER = Comparator.comparing(Participant::position);

    public Roster {
        participants = List.copyOf(participants);
    }

    /** The users in the order of joining, encoded and separated by spaces. */
    public String userIds() {
        StringBuilder ids = new StringBuilder();
        for (Participant participant : participants) {
            ids.append(ids.isEmpty() ? "" : " ").append(participant.user().encoded());
        }
        return ids.toString();
    }

    /** The roster after a change; {@link #UNKNOWN} if changes before it were missed. */
    public Roster after(RoomChange change) {
        if (change.revision() <= revision) {
            return this;
        }
        if (change.revision() > revision + 1) {
            return UNKNOWN;
        }
        List<Participant> now = new ArrayList<>(participants);
        now.removeIf(participant -> participant.user().equals(change.user()));
        present(change).ifPresent(participant -> {
            int place = now.size();
            while (place > 0 && ORDER.compare(now.get(place - 1), participant) > 0) {
                place--;
            }
            now.add(place, participant);
        });
        return now.size() > MOST ? UNKNOWN : new Roster(change.revision(), now);
    }

    private static Optional<Participant> present(RoomChange change) {
        if (change instanceof RoomChange.Joined joined) {
            return Optional.of(joined.participant());
        }
        return change instanceof RoomChange.Updated updated ? Optional.of(updated.participant()) : Optional.empty();
    }
}
