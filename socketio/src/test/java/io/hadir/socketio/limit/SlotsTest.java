package io.hadir.socketio.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.socketio.limit.Slots.Slot;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private static final int NO_LIMIT = 1_000_000;

    private final List<String> pushedOut = new ArrayList<>();

    private static InetAddress address(int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    private Slot take(Slots slots, @Nullable InetAddress from, String name) {
        Slot slot = Objects.requireNonNull(slots.take(from), name);
        slot.onPushedOut(() -> pushedOut.add(name));
        return slot;
    }

    @Test
    void aNewcomerPushesOutTheStrangerThatHasBeenQuietLongest() throws Exception {
        Slots slots = new Slots(3, 0, 0, NO_LIMIT);
        Slot first = take(slots, address(1), "first");
        take(slots, address(2), "second");
        take(slots, address(3), "third");
        first.touch();
        take(slots, address(4), "fourth");
        take(slots, address(5), "fifth");

        assertThat(pushedOut).containsExactly("second", "third");
        assertThat(slots.taken()).isEqualTo(3);
        assertThat(slots.refused()).isEqualTo(2);
        assertThat(first.markKnown()).isTrue();
    }

    @Test
    void newcomersAreRefusedWhenTheKnownHoldAllSlots() throws Exception {
        Slots slots = new Slots(2, 0, 0, NO_LIMIT);
        Slot known = take(slots, address(1), "known");
        assertThat(known.markKnown()).isTrue();
        take(slots, address(2), "stranger");
        Slot other = take(slots, address(3), "other");
        assertThat(other.markKnown()).isTrue();
        assertThat(slots.isFull()).isTrue();
        assertThat(slots.take(address(4))).isNull();
        assertThat(pushedOut).containsExactly("stranger");

        known.release();
        assertThat(slots.isFull()).isFalse();
        take(slots, address(4), "late");
        assertThat(pushedOut).containsExactly("stranger");
    }

    @Test
    void aTenthIsReservedForTheKnown() throws Exception {
        Slots slots = new Slots(100, 0, 0, NO_LIMIT);
        for (int i = 0; i < 150; i++) {
            take(slots, address(i), "stranger " + i);
        }
        assertThat(slots.taken()).isEqualTo(90);
        for (int i = 0; i < 100; i++) {
            assertThat(take(slots, address(i), "user " + i).markKnown()).isTrue();
        }
        assertThat(slots.taken()).isEqualTo(100);
        assertThat(pushedOut).allMatch(name -> name.startsWith("stranger")).hasSize(150);
    }

    @Test
    void strangersHaveSpareSlotsBeyondTheLimit() throws Exception {
        Slots slots = new Slots(2, 3, 0, NO_LIMIT);
        take(slots, address(1), "a").markKnown();
        take(slots, address(2), "b").markKnown();
        for (int i = 0; i < 5; i++) {
            take(slots, address(3), "check " + i);
        }
        assertThat(slots.taken()).isEqualTo(5);
        assertThat(pushedOut).containsExactly("check 0", "check 1");
    }

    @Test
    void aSlotThatWasPushedOutCannotBecomeKnown() throws Exception {
        Slots slots = new Slots(1, 0, 0, NO_LIMIT);
        Slot first = Objects.requireNonNull(slots.take(address(1)));
        take(slots, address(2), "second");
        assertThat(first.markKnown()).isFalse();
        first.onPushedOut(() -> pushedOut.add("told late"));
        first.release();
        assertThat(pushedOut).containsExactly("told late");
        assertThat(slots.taken()).isEqualTo(1);
    }

    @Test
    void oneAddressThatHoldsMoreThanHalfPushesOutItsOwn() throws Exception {
        Slots slots = new Slots(10, 0, 0, NO_LIMIT);
        take(slots, address(1), "user");
        for (int i = 0; i < 50; i++) {
            take(slots, address(2), "flood");
        }
        assertThat(pushedOut).hasSize(42).containsOnly("flood");
        assertThat(slots.taken()).isEqualTo(9);
    }

    @Test
    void strangersOfOneAddressHaveALimitOfTheirOwn() throws Exception {
        Slots slots = new Slots(100, 0, 0, 5);
        take(slots, address(1), "user");
        for (int i = 0; i < 20; i++) {
            take(slots, address(2), "flood");
        }
        assertThat(pushedOut).hasSize(15).containsOnly("flood");
        for (int i = 0; i < 20; i++) {
            take(slots, null, "proxy");
        }
        assertThat(pushedOut).hasSize(15);
    }

    @Test
    void ipv6AddressesOfOneNetworkCountAsOne() throws Exception {
        Slots slots = new Slots(100, 0, 1, NO_LIMIT);
        assertThat(slots.take(InetAddress.getByName("2001:db8:1:2::1"))).isNotNull();
        assertThat(slots.take(InetAddress.getByName("2001:db8:1:2:ffff::"))).isNull();
        assertThat(slots.take(InetAddress.getByName("2001:db8:1:3::1"))).isNotNull();
    }

    @Test
    void slotsPerAddressAreLimited() throws Exception {
        Slots slots = new Slots(100, 0, 2, NO_LIMIT);
        Slot first = take(slots, address(1), "first");
        take(slots, address(1), "second").markKnown();
        assertThat(slots.take(address(1))).isNull();
        take(slots, address(2), "other");
        first.release();
        first.release();
        take(slots, address(1), "third");
        assertThat(slots.take(address(1))).isNull();
        assertThat(slots.refused()).isEqualTo(2);
        assertThat(pushedOut).isEmpty();
    }

    @Test
    void aSlotMarkedAsAStrangersAgainCanBePushedOut() throws Exception {
        Slots slots = new Slots(2, 0, 0, NO_LIMIT);
        Slot first = take(slots, address(1), "first");
        first.markKnown();
        take(slots, address(2), "second");
        first.markStranger();
        take(slots, address(3), "third");
        take(slots, address(4), "fourth");
        assertThat(pushedOut).containsExactly("second", "first");
    }

    @Test
    void theCountIsRightAfterConcurrentUse() throws Exception {
        Slots slots = new Slots(3, 1, 2, 2);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            InetAddress address = address(t % 2);
            int kind = t;
            threads.add(new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    Slot slot = slots.take(address);
                    if (slot != null) {
                        if ((i + kind) % 3 == 0 && slot.markKnown() && i % 2 == 0) {
                            slot.markStranger();
                        }
                        slot.touch();
                        slot.release();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(20_000);
        }
        assertThat(slots.taken()).isZero();
        take(slots, address(0), "a");
        take(slots, address(0), "b");
        assertThat(slots.take(address(0))).isNull();
    }
}
