package io.hadir.presence.room;

import java.util.List;

/**
 * The changes of a room that its sockets get, after {@code fromRevision} up to {@code revision}.
 *
 * @param truncated whether names are left out; a client that wants them has to list the room
 */
public record RoomNews(
        RoomId room,
        long fromRevision,
        long revision,
        List<Participant> joined,
        List<RoomChange.Left> left,
        List<Participant> updated,
        long viewerCount,
        boolean truncated) {}
