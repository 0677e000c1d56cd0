package io.hadir.socketio.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.socketio.limit.Places.Place;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PlacesTest {
    private static final int NO_LIMIT = 1_000_000;

    private final List<String> pushedOut = new ArrayList<>();

    private static InetAddress address(int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    private Place take(Places places, @Nullable InetAddress from, String name) {
        Place place = Objects.requireNonNull(places.take(from), name);
        place.onPushedOut(() -> pushedOut.add(name));
        return place;
    }

    @Test
    void aNewcomerPushesOutTheStrangerThatHasBeenQuietLongest() throws Exception {
        Places places = new Places(3, 0, 0, NO_LIMIT);
        Place first = take(places, address(1), "first");
        take(places, address(2), "second");
        take(places, address(3), "third");
        first.touch();
        take(places, address(4), "fourth");
        take(places, address(5), "fifth");

        assertThat(pushedOut).containsExactly("second", "third");
        assertThat(places.taken()).isEqualTo(3);
        assertThat(places.refused()).isEqualTo(2);
        assertThat(first.know()).isTrue();
    }

    @Test
    void theKnownAreNeverPushedOutAndWhenTheyHoldEverythingNewcomersAreRefused() throws Exception {
        Places places = new Places(2, 0, 0, NO_LIMIT);
        Place known = take(places, address(1), "known");
        assertThat(known.know()).isTrue();
        take(places, address(2), "stranger");
        Place other = take(places, address(3), "other");
        assertThat(other.know()).isTrue();
        assertThat(places.isFull()).isTrue();
        assertThat(places.take(address(4))).isNull();
        assertThat(pushedOut).containsExactly("stranger");

        known.leave();
        assertThat(places.isFull()).isFalse();
        take(places, address(4), "late");
        assertThat(pushedOut).containsExactly("stranger");
    }

    @Test
    void aTenthIsReservedForTheKnown() throws Exception {
        Places places = new Places(100, 0, 0, NO_LIMIT);
        for (int i = 0; i < 150; i++) {
            take(places, address(i), "stranger " + i);
        }
        assertThat(places.taken()).isEqualTo(90);
        for (int i = 0; i < 100; i++) {
            assertThat(take(places, address(i), "user " + i).know()).isTrue();
        }
        assertThat(places.taken()).isEqualTo(100);
        assertThat(pushedOut).allMatch(name -> name.startsWith("stranger")).hasSize(150);
    }

    @Test
    void strangersHaveAFewSparePlacesBeyondTheLimit() throws Exception {
        Places places = new Places(2, 3, 0, NO_LIMIT);
        take(places, address(1), "a").know();
        take(places, address(2), "b").know();
        for (int i = 0; i < 5; i++) {
            take(places, address(3), "check " + i);
        }
        assertThat(places.taken()).isEqualTo(5);
        assertThat(pushedOut).containsExactly("check 0", "check 1");
    }

    @Test
    void whoWasPushedOutCannotBecomeKnown() throws Exception {
        Places places = new Places(1, 0, 0, NO_LIMIT);
        Place first = Objects.requireNonNull(places.take(address(1)));
        take(places, address(2), "second");
        assertThat(first.know()).isFalse();
        first.onPushedOut(() -> pushedOut.add("told late"));
        first.leave();
        assertThat(pushedOut).containsExactly("told late");
        assertThat(places.taken()).isEqualTo(1);
    }

    @Test
    void oneAddressThatHoldsMoreThanHalfPushesOutItsOwn() throws Exception {
        Places places = new Places(10, 0, 0, NO_LIMIT);
        take(places, address(1), "user");
        for (int i = 0; i < 50; i++) {
            take(places, address(2), "flood");
        }
        assertThat(pushedOut).hasSize(42).containsOnly("flood");
        assertThat(places.taken()).isEqualTo(9);
    }

    @Test
    void strangersOfOneAddressHaveALimitOfTheirOwn() throws Exception {
        Places places = new Places(100, 0, 0, 5);
        take(places, address(1), "user");
        for (int i = 0; i < 20; i++) {
            take(places, address(2), "flood");
        }
        assertThat(pushedOut).hasSize(15).containsOnly("flood");
        for (int i = 0; i < 20; i++) {
            take(places, null, "proxy");
        }
        assertThat(pushedOut).hasSize(15);
    }

    @Test
    void anAddressOfIpv6IsItsWholeNetwork() throws Exception {
        Places places = new Places(100, 0, 1, NO_LIMIT);
        assertThat(places.take(InetAddress.getByName("2001:db8:1:2::1"))).isNotNull();
        assertThat(places.take(InetAddress.getByName("2001:db8:1:2:ffff::"))).isNull();
        assertThat(places.take(InetAddress.getByName("2001:db8:1:3::1"))).isNotNull();
    }

    @Test
    void soManyFromOneAddressWhateverOthersDo() throws Exception {
        Places places = new Places(100, 0, 2, NO_LIMIT);
        Place first = take(places, address(1), "first");
        take(places, address(1), "second").know();
        assertThat(places.take(address(1))).isNull();
        take(places, address(2), "other");
        first.leave();
        first.leave();
        take(places, address(1), "third");
        assertThat(places.take(address(1))).isNull();
        assertThat(places.refused()).isEqualTo(2);
        assertThat(pushedOut).isEmpty();
    }

    @Test
    void aStrangerAgainCanBePushedOutAgain() throws Exception {
        Places places = new Places(2, 0, 0, NO_LIMIT);
        Place first = take(places, address(1), "first");
        first.know();
        take(places, address(2), "second");
        first.unknow();
        take(places, address(3), "third");
        take(places, address(4), "fourth");
        assertThat(pushedOut).containsExactly("second", "first");
    }

    @Test
    void theCountIsRightAfterManyThreadsCameAndWent() throws Exception {
        Places places = new Places(3, 1, 2, 2);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            InetAddress address = address(t % 2);
            int kind = t;
            threads.add(new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    Place place = places.take(address);
                    if (place != null) {
                        if ((i + kind) % 3 == 0 && place.know() && i % 2 == 0) {
                            place.unknow();
                        }
                        place.touch();
                        place.leave();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(20_000);
        }
        assertThat(places.taken()).isZero();
        take(places, address(0), "a");
        take(places, address(0), "b");
        assertThat(places.take(address(0))).isNull();
    }
}
