package io.hadir.presence.room;

import java.util.List;

/**
 * What the sockets of a room are told: its changes after one revision up to another.
 *
 * @param truncated whether the names are left out, so that who wants them must list
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
