package io.hadir.presence.stats;

import io.hadir.presence.LocalRoom;
import io.hadir.presence.Presence;
import io.hadir.presence.room.Loop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What this node has on its hands, for those who watch it. No answer to anybody who asks who is present.
 *
 * @param rooms in which it has sockets
 * @param participants users of its own sockets, counted once in each room
 * @param memberships sockets, counted once in each room
 * @param departures that Redis has not heard of yet
 */
public record Census(int rooms, int participants, int memberships, int departures) {
    public static final Census NOTHING = new Census(0, 0, 0, 0);

    public static CompletionStage<Census> take(Presence presence, Loop loop) {
        return CompletableFuture.supplyAsync(() -> count(presence), loop);
    }

    private static Census count(Presence presence) {
        int rooms = 0;
        int participants = 0;
        int memberships = 0;
        for (LocalRoom room : presence.rooms().all()) {
            rooms++;
            participants += room.users();
            memberships += room.sockets();
        }
        return new Census(
                rooms, participants, memberships, presence.departures().size());
    }
}
