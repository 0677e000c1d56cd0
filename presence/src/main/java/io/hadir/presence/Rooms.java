package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.RoomsPage;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What backends read about rooms and set for them. May be called from any thread. */
public final class Rooms {
    private final Stores stores;
    private final Presence presence;
    private final Answers answers;
    private final PresenceSettings settings;
    private final Occupancy occupancy;

    public Rooms(Stores stores, Presence presence, Loop loop, PresenceSettings settings) {
        this.stores = stores;
        this.presence = presence;
        this.answers = new Answers(loop);
        this.settings = settings;
        this.occupancy = new Occupancy(stores);
    }

    /**
     * A page of the occupied rooms.
     *
     * @param search text that a room's id must contain, ignoring case; null for all rooms
     */
    public CompletionStage<Answer<RoomsPage>> occupied(@Nullable String search, @Nullable RoomId after, int limit) {
        return answers.inTime(() -> occupancy.after(search, after, limit).thenApply(Answer::ok));
    }

    /** The largest occupied rooms, the largest first; see {@link Occupancy#largest}. */
    public CompletionStage<Answer<RoomsPage>> largest(@Nullable String search, int limit) {
        return answers.inTime(() -> occupancy.largest(search, limit).thenApply(Answer::ok));
    }

    /** The number of occupied rooms, including those that emptied since the last sweep. */
    public CompletionStage<Answer<Long>> countOccupied() {
        return answers.inTime(() -> stores.directory().count().thenApply(Answer::ok));
    }

    /** How many participants each of these rooms has. */
    public CompletionStage<Answer<Map<RoomId, Long>>> count(List<RoomId> rooms) {
        return answers.inTime(() -> {
            Map<RoomId, CompletionStage<RoomStore.Headcount>> counts =
                    stores.rooms().count(rooms);
            return Stages.all(counts.values()).thenApply(done -> {
                Map<RoomId, Long> alive = new LinkedHashMap<>();
                counts.forEach((room, count) ->
                        alive.put(room, count.toCompletableFuture().join().alive()));
                return Answer.ok(alive);
            });
        });
    }

    public CompletionStage<Answer<RoomView>> read(RoomId room) {
        return answers.inTime(() -> stores.rooms()
                .count(room)
                .thenCombine(
                        stores.settings().read(room),
                        (count, own) -> Answer.ok(new RoomView(
                                room,
                                count.alive(),
                                count.revision() == 0 ? null : count.revision(),
                                Optional.ofNullable(own.ttl()).orElse(settings.ttl()),
                                own))));
    }

    public CompletionStage<Answer<RoomSettings>> settings(RoomId room) {
        return answers.inTime(() -> stores.settings().read(room).thenApply(Answer::ok));
    }

    /** Replaces all settings of the room. Effective at the next join or heartbeat. */
    public CompletionStage<Answer<RoomSettings>> configure(RoomId room, RoomSettings wanted) {
        if (!(wanted.checked(settings) instanceof Answer.Ok<RoomSettings> checked)) {
            return CompletableFuture.completedFuture(wanted.checked(settings));
        }
        return answers.inTime(() -> stores.settings()
                .write(room, checked.value())
                .thenCompose(done -> presence.refreshRules(room))
                .thenApply(done -> Answer.ok(checked.value())));
    }

    /**
     * A room as a backend sees it. Every valid id has a room; most are empty.
     *
     * @param revision null if it is unknown, because nothing has changed for a long time
     * @param ttl the TTL in force, set for the room or for the server
     */
    public record RoomView(
            RoomId room, long viewerCount, @Nullable Long revision, Duration ttl, RoomSettings settings) {}
}
