package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.RoomId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A socket that moved here is removed from a room before it has been put back into all of them. */
class MoveTest extends TwoNodes {
    private final Client before = a.open("adi");

    @Test
    void aSocketKickedFromOneRoomStaysForThoseThatItIsStillPutBackInto() {
        long joined = joinBoth();
        Client adi = b.move(before, "x", "y");
        CompletableFuture<Void> held = new CompletableFuture<>();
        focusing = held;
        adi.beginTakeOver("x", joined);
        CompletionStage<Answer<JoinedRoom>> y = adi.beginTakeOver("y", joined);
        settle();
        kick("x");
        assertThat(adi.forceLeaves()).containsExactly("x kicked");
        held.complete(null);
        ok(get(y));

        assertThat(adi.disconnected).isFalse();
        assertThat(a.list("x")).isEmpty();
        assertThat(a.list("y")).containsExactly("adi");
        ok(adi.heartbeat("y"));
        kick("y");
        assertThat(adi.disconnected).isTrue();
    }

    @Test
    void aSocketThatIsNotPutBackIntoItsOtherRoomIsDisconnected() {
        long joined = joinBoth();
        Client adi = b.move(before, "x", "y");
        CompletableFuture<Void> held = new CompletableFuture<>();
        focusing = held;
        adi.beginTakeOver("x", joined);
        kick("y");
        CompletionStage<Boolean> y = b.presence.restore(adi.socket, new RoomId("y"), adi.user);
        kick("x");
        held.complete(null);
        assertThat(get(y)).isTrue();
        settle();

        assertThat(adi.forceLeaves()).containsExactly("x kicked");
        assertThat(adi.disconnected).isTrue();
    }

    @Test
    void aRoomThatTheSocketMayNoLongerBeInDoesNotKeepIt() {
        long joined = joinBoth();
        Client adi = b.move(before, "x", "y");
        get(b.presence.restrict(adi.socket, room -> room.value().equals("x")));
        ok(get(adi.beginTakeOver("x", joined)));
        assertThat(get(b.presence.restore(adi.socket, new RoomId("y"), adi.user)))
                .isTrue();
        kick("x");

        assertThat(adi.disconnected).isTrue();
    }

    @Test
    void aSocketThatCouldNotBePutBackYetIsNotToldThatItIsInNoRoom() {
        long joined = joinBoth();
        Client adi = b.move(before, "x");
        movesAreUnsure = true;
        assertThat(refused(get(adi.beginTakeOver("x", joined))).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);

        for (Answer<?> early : List.of(adi.heartbeat("x"), adi.update("x", "{}"), adi.pause("x"))) {
            assertThat(refused(early).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        }
        assertThat(adi.forceLeaves()).isEmpty();
        assertThat(refused(adi.heartbeat("other")).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);

        movesAreUnsure = false;
        ok(get(adi.beginTakeOver("x", joined)));
        ok(adi.heartbeat("x"));
    }

    @Test
    void aSocketThatLeftBeforeItWasPutBackIsInNoRoom() {
        long joined = joinBoth();
        Client adi = b.move(before, "x");
        movesAreUnsure = true;
        get(adi.beginTakeOver("x", joined));
        adi.leave("x");

        assertThat(refused(adi.heartbeat("x")).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
    }

    /** Joins both rooms; the revision of the second. */
    private long joinBoth() {
        before.join("x");
        return before.join("y").listing().page().revision();
    }

    private void kick(String room) {
        ok(get(a.presence.kick(new RoomId(room), before.user, null)));
        settle();
    }
}
