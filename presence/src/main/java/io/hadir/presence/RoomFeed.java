package io.hadir.presence;

import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The changes of rooms, from every node. */
public interface RoomFeed {
    /** Begins to hear of a room; completes when nothing will be missed from now on, and fails if that takes too long. */
    CompletionStage<Void> subscribe(RoomId room);

    void unsubscribe(RoomId room);

    /** Who is told; set once, before the first subscription. May be called from any thread. */
    void listen(Listener listener);

    interface Listener {
        void changed(RoomId room, RoomChange change);

        /** A grace period in the room ends after this time, unless something happens. */
        void expiring(RoomId room, Duration in);

        /** The room's settings have changed to these. */
        void rulesChanged(RoomId room, RoomSettings now);

        /** The room was raised to this revision: Redis no longer knows all that was told before. */
        void raised(RoomId room, long revision);

        /**
         * Something may have been missed, but will not be from now on.
         *
         * @param otherRedis whether this is another Redis process than before, which may have older data
         */
        void resumed(RoomId room, boolean otherRedis);
    }
}
