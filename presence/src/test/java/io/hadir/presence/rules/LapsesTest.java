package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.JoinedRoom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A node announces the end of the grace periods in its rooms, without a sweep. */
class LapsesTest extends TwoNodes {

    @Test
    void aGracePeriodEndsInARoomThatTheNodeHadListedBeforeItsFirstJoin() {
        Client adi = a.open("adi");
        adi.join("r");
        adi.close();
        CompletableFuture<Void> held = new CompletableFuture<>();
        memory.subscribeAfter(held);
        Client budi = b.open("budi");
        CompletionStage<Answer<JoinedRoom>> joined = budi.beginJoin("r");
        loop.run();
        assertThat(b.list("r")).containsExactly("adi");
        held.complete(null);
        ok(get(joined));
        loop.advance(SETTINGS.grace());
        settle();

        assertThat(budi.left()).containsExactly("adi disconnected");
    }
}
