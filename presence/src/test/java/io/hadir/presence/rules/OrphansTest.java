package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.Username;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Redis went back to older data, in which a socket still holds a seat. The scan asks the socket's node about it. */
class OrphansTest extends TwoNodes {
    private static final long TURN = 1;

    @Test
    void f53_aSocketThatHasLeftLosesTheSeat() {
        Client adi = left();
        holds(adi);
        ask(adi);

        assertThat(b.list("r")).isEmpty();
    }

    @Test
    void f53_soDoesOneThatIsTakingAnotherStep() {
        Client adi = left();
        CompletableFuture<Void> late = new CompletableFuture<>();
        focusing = late;
        adi.beginJoin("other");
        loop.run();
        holds(adi);
        ask(adi);
        late.complete(null);
        settle();

        assertThat(b.list("r")).isEmpty();
        assertThat(b.list("other")).containsExactly("adi");
    }

    @Test
    void f53_soDoesOneThatClosesMeanwhile() {
        Client adi = a.open("adi");
        CompletableFuture<Void> late = new CompletableFuture<>();
        focusing = late;
        adi.beginJoin("other");
        a.presence.disconnect(adi.socket, false);
        loop.run();
        holds(adi);
        ask(adi);
        late.complete(null);
        settle();

        assertThat(b.list("r")).isEmpty();
    }

    @Test
    void aSocketThatIsJoiningKeepsTheSeat() {
        Client adi = left();
        CompletableFuture<Void> late = new CompletableFuture<>();
        focusing = late;
        adi.beginJoin("r");
        loop.run();
        ask(adi);
        late.complete(null);
        settle();

        assertThat(b.list("r")).containsExactly("adi");
    }

    private Client left() {
        Client adi = a.open("adi");
        adi.join("r");
        adi.leave("r");
        assertThat(b.list("r")).isEmpty();
        return adi;
    }

    /** The store says again what it said before. */
    private void holds(Client client) {
        Profile profile = new Profile(null, Username.of(client.user));
        get(memory.stores()
                .seats()
                .join(SeatStore.Join.of(seat("r", "adi"), new Holder(client.socket, TURN), profile)));
        assertThat(b.list("r")).containsExactly("adi");
    }

    private void ask(Client client) {
        Sighting sighting = new Sighting(seat("r", "adi"), client.socket, Set.of(client.socket), true);
        loop.execute(() -> a.presence.node().answer(List.of(sighting)));
        settle();
    }
}
