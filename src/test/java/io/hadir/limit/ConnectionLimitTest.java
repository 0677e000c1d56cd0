package io.hadir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private static InetAddress address(int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    @Test
    void soManyInAllAndNoMore() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(2, 0);
        assertThat(limit.admit(HERE)).isTrue();
        assertThat(limit.admit(address(1))).isTrue();
        assertThat(limit.admit(address(2))).isFalse();
        assertThat(limit.open()).isEqualTo(2);
        assertThat(limit.refused()).isEqualTo(1);

        limit.release(HERE);
        assertThat(limit.admit(address(2))).isTrue();
    }

    @Test
    void soManyFromOneAddressWhateverOthersDo() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(100, 2);
        assertThat(limit.admit(HERE)).isTrue();
        assertThat(limit.admit(HERE)).isTrue();
        assertThat(limit.admit(HERE)).isFalse();
        assertThat(limit.admit(address(1))).isTrue();
        assertThat(limit.open()).isEqualTo(3);

        limit.release(HERE);
        assertThat(limit.admit(HERE)).isTrue();
        assertThat(limit.admit(HERE)).isFalse();
    }

    @Test
    void whoIsRefusedForItsAddressTakesNoPlaceOfTheOthers() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(2, 1);
        limit.admit(HERE);
        for (int i = 0; i < 10; i++) {
            assertThat(limit.admit(HERE)).isFalse();
        }
        assertThat(limit.admit(address(1))).isTrue();
    }

    @Test
    void theCountIsRightAfterManyThreadsCameAndWent() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(3, 2);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            InetAddress address = address(t % 2);
            threads.add(new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    if (limit.admit(address)) {
                        limit.release(address);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(20_000);
        }
        assertThat(limit.open()).isZero();
        assertThat(limit.admit(address(0))).isTrue();
        assertThat(limit.admit(address(0))).isTrue();
        assertThat(limit.admit(address(0))).isFalse();
    }
}
