package io.hadir.presence.room;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the list of occupied rooms, ordered by id. It may be short, or empty, although there is a next one.
 *
 * @param next behind which room the next page begins, null if this is the last one
 */
public record RoomsPage(List<OccupiedRoom> rooms, @Nullable RoomId next) {}
