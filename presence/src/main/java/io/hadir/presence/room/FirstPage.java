package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/**
 * The first page of a room's list.
 *
 * @param everybody all participants, also those on later pages; null if not all of them were read
 */
public record FirstPage(Page page, @Nullable Roster everybody) {}
