package io.hadir.presence.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RoomId;
import org.junit.jupiter.api.Test;

class RoomBalancesTest {
    private static final int MANY = 200_000;

    @Test
    void everyRoomHasItsOwnBalanceHoweverManyThereAre() {
        RoomBalances balances = new RoomBalances();
        for (int i = 0; i < MANY; i++) {
            balances.add(room(i), 3);
            balances.add(room(i), -(i % 5));
        }
        for (int i = 0; i < MANY; i++) {
            assertThat(balances.has(room(i))).isTrue();
            assertThat(balances.of(room(i))).isEqualTo(3 - i % 5);
        }
        assertThat(balances.has(room(MANY))).isFalse();
        assertThat(balances.of(room(MANY))).isZero();
    }

    @Test
    void aRoomThatIsBalancedWasFoundAllTheSame() {
        RoomBalances balances = new RoomBalances();
        balances.add(room(1), 1);
        balances.add(room(1), -1);
        assertThat(balances.of(room(1))).isZero();
        assertThat(balances.has(room(1))).isTrue();
        assertThat(balances.has(room(2))).isFalse();
    }

    private static RoomId room(int number) {
        return new RoomId("room-" + number);
    }
}
