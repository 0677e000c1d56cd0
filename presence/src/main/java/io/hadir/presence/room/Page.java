package io.hadir.presence.room;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a room's list. Every participant's presence was alive when it was read.
 *
 * @param next the position after which the next page begins, null on the last page
 * @param revision the page includes at least all changes up to this revision
 * @param skipped whether there were hints of users who are not alive
 */
public record Page(List<Participant> participants, @Nullable Position next, long revision, boolean skipped) {
    public Page(List<Participant> participants, @Nullable Position next, long revision) {
        this(participants, next, revision, false);
    }

    /**
     * The first page of a room's list.
     *
     * @param everybody all participants, also those on later pages; null if not all of them were read
     */
    public record FirstPage(Page page, @Nullable Roster everybody) {}
}
