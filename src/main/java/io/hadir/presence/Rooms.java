package io.hadir.presence;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a backend may ask about rooms, and set for them. May be called from any thread. */
public final class Rooms {
    /** An audit looks at every key there is, so it may take longer than what clients wait for. */
    private static final long AUDIT_SECONDS = 30;

    private final PresenceStore store;
    private final PresenceScan scan;
    private final Presence presence;
    private final Loop loop;
    private final PresenceSettings settings;
    private final Occupancy occupancy;

    public Rooms(PresenceStore store, PresenceScan scan, Presence presence, Loop loop, PresenceSettings settings) {
        this.store = store;
        this.scan = scan;
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

    /** A page of the room's list, and why everyone is on it. */
    public CompletionStage<Answer<Listing>> listHolds(RoomId room, @Nullable Position after, int limit) {
        Reply<Listing> reply = new Reply<>(loop);
        reply.giveAfter(store.listHolds(room, after, limit)
                .thenCombine(store.count(room), (page, count) -> Answer.ok(new Listing(room, page, count.alive()))));
        return reply.stage();
    }

    /** As {@link #listHolds}, from a look at every key there is instead of the room's index. */
    public CompletionStage<Answer<Listing>> audit(RoomId room, @Nullable Position after, int limit) {
        return scan.list(room)
                .thenApply(all -> Answer.ok(page(room, all, after, limit)))
                .toCompletableFuture()
                .completeOnTimeout(Answer.refused(PresenceError.unavailable()), AUDIT_SECONDS, TimeUnit.SECONDS)
                .exceptionally(failed -> Answer.refused(PresenceError.unavailable()));
    }

    private static Listing page(RoomId room, Page all, @Nullable Position after, int limit) {
        List<Participant> behind = all.participants().stream()
                .filter(participant -> after == null || participant.position().compareTo(after) > 0)
                .sorted((one, other) -> one.position().compareTo(other.position()))
                .toList();
        boolean more = behind.size() > limit;
        List<Participant> page = more ? behind.subList(0, limit) : behind;
        Position next = more ? page.get(limit - 1).position() : null;
        return new Listing(
                room, new Page(page, next, all.revision()), all.participants().size());
    }
}
