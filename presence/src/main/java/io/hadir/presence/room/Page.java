package io.hadir.presence.room;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a room's list. Everyone on it was seen alive for this answer.
 *
 * @param next behind what the next page begins, null if this is the last one
 * @param revision what this answer is at least as new as
 */
public record Page(List<Participant> participants, @Nullable Position next, long revision) {}
