package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.RoomView;
import io.hadir.presence.room.RoomsPage;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a backend may ask about rooms, and set for them. May be called from any thread. */
public final class Rooms {
    private final PresenceStore store;
    private final Presence presence;
    private final Loop loop;
    private final PresenceSettings settings;
    private final Occupancy occupancy;

    public Rooms(PresenceStore store, Presence presence, Loop loop, PresenceSettings settings) {
        this.store = store;
        this.presence = presence;
        this.loop = loop;
        this.settings = settings;
        this.occupancy = new Occupancy(store);
    }

    /**
     * A page of the rooms in which somebody is.
     *
     * @param search what a room's id must contain, in capitals or not; null for all rooms
     */
    public CompletionStage<Answer<RoomsPage>> occupied(@Nullable String search, @Nullable RoomId after, int limit) {
        Reply<RoomsPage> reply = new Reply<>(loop);
        reply.giveAfter(occupancy.after(search, after, limit).thenApply(Answer::ok));
        return reply.stage();
    }

    /** In how many rooms somebody is; those that emptied since the last sweep are among them. */
    public CompletionStage<Answer<Long>> countOccupied() {
        Reply<Long> reply = new Reply<>(loop);
        reply.giveAfter(store.countOccupied().thenApply(Answer::ok));
        return reply.stage();
    }

    public CompletionStage<Answer<RoomView>> look(RoomId room) {
        Reply<RoomView> reply = new Reply<>(loop);
        reply.giveAfter(store.count(room).thenCombine(store.settings(room), (count, own) -> {
            Long revision = count.revision() == 0 ? null : count.revision();
            return Answer.ok(new RoomView(
                    room,
                    count.alive(),
                    revision,
                    Optional.ofNullable(own.ttl()).orElse(settings.ttl()),
                    own));
        }));
        return reply.stage();
    }

    public CompletionStage<Answer<RoomSettings>> settings(RoomId room) {
        Reply<RoomSettings> reply = new Reply<>(loop);
        reply.giveAfter(store.settings(room).thenApply(Answer::ok));
        return reply.stage();
    }

    /** Replaces all that was set for the room. In force at the next join or heartbeat. */
    public CompletionStage<Answer<RoomSettings>> configure(RoomId room, RoomSettings wanted) {
        if (!(wanted.checked(settings) instanceof Answer.Ok<RoomSettings> checked)) {
            return CompletableFuture.completedFuture(wanted.checked(settings));
        }
        Reply<RoomSettings> reply = new Reply<>(loop);
        reply.giveAfter(store.configure(room, checked.value())
                .thenComposeAsync(done -> presence.rooms().refreshRules(room), loop)
                .thenApply(done -> Answer.ok(checked.value())));
        return reply.stage();
    }
}
