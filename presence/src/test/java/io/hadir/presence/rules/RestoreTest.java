package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.SocketMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is put back into their rooms after a reconnect while another of their tabs is in them. */
class RestoreTest extends TwoNodes {
    private Client closeOneOfTwoTabs() {
        Client closed = a.openAuthenticated("adi");
        Client staying = b.openAuthenticated("adi");
        List.of(closed, staying).forEach(tab -> tab.join("r"));
        closed.close();
        settle();
        return staying;
    }

    private static boolean isRestored(Client client) {
        return client.messages.stream().anyMatch(SocketMessage.Restored.class::isInstance);
    }

    @Test
    void aTabThatReconnectsWithinItsGracePeriodIsRestored() {
        closeOneOfTwoTabs();
        assertThat(isRestored(a.openAuthenticated("adi"))).isTrue();
    }

    @Test
    void g6_aReturningUserIsRestoredAsSoonAsTheStoreAnswers() {
        for (String step : List.of("rememberedRooms", "restore", "listForNewcomer")) {
            Client before = a.openAuthenticated(step);
            before.join("r");
            before.close();
            failing.add(step);
            Client back = a.openAuthenticated(step);
            loop.advance(SETTINGS.grace().dividedBy(2));
            failing.clear();
            settle();
            assertThat(isRestored(back)).as(step).isTrue();
            ok(back.heartbeat("r"));
            loop.advance(SETTINGS.grace().multipliedBy(3));
            assertThat(b.list("r")).as(step).containsExactly(step);
            back.leave("r");
        }
    }

    @Test
    void aTabThatReconnectsLaterIsNotAlthoughAnotherOneKeepsTheUserInTheRoom() {
        Client staying = closeOneOfTwoTabs();
        loop.advance(SETTINGS.grace());
        assertThat(isRestored(a.openAuthenticated("adi"))).isFalse();
        staying.leave("r");
        assertThat(b.list("r")).isEmpty();
    }
}
