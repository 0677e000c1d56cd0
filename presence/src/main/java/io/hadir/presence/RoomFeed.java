package io.hadir.presence;

import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The changes of rooms, from all nodes. */
public interface RoomFeed {
    /** Subscribes to a room; completes when no later change can be missed, and fails if that takes too long. */
    CompletionStage<Void> subscribe(RoomId room);

    void unsubscribe(RoomId room);

    /**
     * For how long this node has heard every change without interruption. A Redis that went back to older data, or
     * another one, interrupts that.
     */
    Duration steadyFor();

    /** Sets the listener; called once, before the first subscription. The listener is called on any thread. */
    void listen(Listener listener);

    /**
     * How many users a room has after a change.
     *
     * @param alive whether so many were seen alive; if not, it is the number of hints
     */
    record ViewerCount(long viewers, boolean alive) {}

    interface Listener {
        /**
         * The room's list has changed.
         *
         * @param count how many users there are after the change, null if the publisher does not say
         */
        void changed(RoomId room, RoomChange change, @Nullable ViewerCount count);

        /** A user's presence lapses after this time, unless the user returns or is removed first. */
        void lapsing(RoomId room, Duration in);

        /** The room has new settings. */
        void rulesChanged(RoomId room, RoomSettings now);

        /** The room's revision was raised to this, because Redis has lost some of its changes. */
        void raised(RoomId room, long revision);

        /**
         * The subscription is back. Changes before this may have been missed.
         *
         * @param otherRedis whether this is a different Redis process, which may have older data
         */
        void resumed(RoomId room, boolean otherRedis);
    }
}
