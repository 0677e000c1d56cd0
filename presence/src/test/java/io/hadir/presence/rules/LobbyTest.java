package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RoomId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sockets that watch the counts of rooms without being in them. */
class LobbyTest extends TwoNodes {
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final RoomId R = new RoomId("r");
    private static final RoomId S = new RoomId("s");

    private final Client watcher = a.open("ana");
    private final Client guest = b.open("budi");

    /** The latest counts that a client knows. */
    private static Map<RoomId, Long> known(Map<RoomId, Long> answer, Client client) {
        Map<RoomId, Long> known = new HashMap<>(answer);
        client.counts.forEach(known::putAll);
        return known;
    }

    @Test
    void aWatcherIsToldTheCountsAndIsInNoRoom() {
        guest.join("r");
        assertThat(watcher.watch("r", "s")).isEqualTo(Map.of(R, 1L, S, 0L));
        guest.join("s");
        settle();
        assertThat(watcher.counts).containsExactly(Map.of(S, 1L));
        assertThat(a.list("s")).containsExactly("budi");
        assertThat(watcher.news).isEmpty();
    }

    @Test
    void changesAreToldAtMostEveryTwoSecondsAndOnlyTheLastCount() {
        watcher.watch("r");
        loop.advance(PERIOD);
        guest.join("r");
        loop.advance(Duration.ofMillis(200));
        assertThat(watcher.counts).containsExactly(Map.of(R, 1L));
        Client another = b.open("cici");
        another.join("r");
        guest.leave("r");
        another.leave("r");
        loop.advance(PERIOD.minusMillis(500));
        assertThat(watcher.counts).hasSize(1);
        loop.advance(PERIOD);
        assertThat(watcher.counts).containsExactly(Map.of(R, 1L), Map.of(R, 0L));
    }

    @Test
    void aChangeOfNameOrDataTellsWatchersNothing() {
        guest.join("r");
        watcher.watch("r");
        ok(guest.update("r", "{\"mic\":true}"));
        guest.pause();
        loop.advance(PERIOD.multipliedBy(2));
        assertThat(watcher.counts).isEmpty();
    }

    @Test
    void aNewListReplacesTheLastOneAndAnEmptyOneEndsIt() {
        watcher.watch("r");
        watcher.watch("s");
        guest.join("r");
        loop.advance(PERIOD);
        assertThat(watcher.counts).isEmpty();
        guest.join("s");
        loop.advance(PERIOD);
        assertThat(watcher.counts).containsExactly(Map.of(S, 1L));
        assertThat(watcher.watch()).isEmpty();
        guest.leave("s");
        loop.advance(PERIOD);
        assertThat(watcher.counts).hasSize(1);
    }

    @Test
    void whoMayNoLongerJoinARoomIsNotToldItsCount() {
        watcher.watch("r", "s");
        get(a.presence.restrict(watcher.socket, S::equals));
        guest.join("r");
        guest.join("s");
        loop.advance(PERIOD);
        assertThat(watcher.counts).containsExactly(Map.of(S, 1L));
    }

    @Test
    void aGraceThatRunsOutInARoomWithoutOtherSocketsIsToldToItsWatchers() {
        guest.join("r");
        watcher.watch("r");
        guest.close();
        loop.advance(SETTINGS.grace().plus(PERIOD).plusSeconds(1));
        assertThat(watcher.counts).containsExactly(Map.of(R, 0L));
    }

    @Test
    void aWatcherInTheRoomHearsBoth() {
        watcher.join("r");
        watcher.watch("r");
        guest.join("r");
        loop.advance(PERIOD);
        assertThat(watcher.counts).containsExactly(Map.of(R, 2L));
        assertThat(watcher.joined()).contains("budi");
        watcher.leave("r");
        loop.advance(PERIOD);
        assertThat(watcher.counts).containsExactly(Map.of(R, 2L), Map.of(R, 1L));
    }

    @Test
    void watchersWhoComeAtDifferentTimesAgreeInTheEnd() {
        Map<RoomId, Long> first = watcher.watch("r", "s");
        loop.advance(PERIOD);
        guest.join("r");
        Client late = a.open("late");
        Map<RoomId, Long> second = late.watch("r");
        guest.leave("r");
        loop.advance(PERIOD.multipliedBy(2));
        assertThat(known(first, watcher)).containsEntry(R, 0L);
        assertThat(known(second, late)).containsEntry(R, 0L);
    }

    @Test
    void f54_aLostMessageIsMadeUpForByTheNextSweep() {
        watcher.watch("r");
        loop.advance(PERIOD);
        guest.join("r");
        loop.advance(PERIOD);
        memory.mute(true);
        b.open("cici").join("r");
        memory.mute(false);
        a.check();
        loop.advance(PERIOD.multipliedBy(2));
        assertThat(watcher.counts).containsExactly(Map.of(R, 1L), Map.of(R, 2L));
    }

    @Test
    void nothingIsLeftOfAWatcherWhoIsGone() {
        watcher.watch("r");
        watcher.close();
        guest.join("r");
        loop.advance(PERIOD);
        assertThat(watcher.counts).isEqualTo(List.of());
    }
}
