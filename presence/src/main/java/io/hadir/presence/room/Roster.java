package io.hadir.presence.room;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Who came to a room and had not left up to a revision, in the order of joining: names that need not be asked for again. It is
 * no proof of anything. A list asks for everyone on it whether that one is alive, and whether these are everybody.
 *
 * @param participants as others see them, but for when they were last active
 */
public record Roster(long revision, List<Participant> participants) {
    /** What it takes to keep one and to send its names with a question is little up to here. */
    public static final int MOST = 200;

    /** Nothing is known yet. */
    public static final Roster UNKNOWN = new Roster(0, List.of());

    private static final Comparator<Participant> ORDER = Comparator.comparing(Participant::position);

    public Roster {
        participants = List.copyOf(participants);
    }

    /** The roster with one more change; nothing is known any more if others came between. */
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
