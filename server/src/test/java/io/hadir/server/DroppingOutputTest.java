package io.hadir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class DroppingOutputTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final CountDownLatch readable = new CountDownLatch(1);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final List<Long> reported = new CopyOnWriteArrayList<>();

    /** Blocks every write until the latch opens. */
    private final OutputStream pipe = new OutputStream() {
        @Override
        public void write(int b) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                readable.await();
            } catch (InterruptedException interrupted) {
                throw new IOException(interrupted);
            }
            written.write(bytes, offset, length);
        }
    };

    private final DroppingOutput output = new DroppingOutput(pipe, "test-output", reported::add);
    private final PrintStream lines = new PrintStream(output, true, UTF_8);

    @Test
    void everythingIsWrittenInOrderOnceTheStreamAccepts() {
        for (int i = 0; i < 1000; i++) {
            lines.println("line " + i);
        }
        readable.countDown();
        output.drain(LONG);

        assertThat(text().lines()).hasSize(1000).endsWith("line 998", "line 999");
        assertThat(output.dropped()).isZero();
        assertThat(reported).isEmpty();
    }

    @Test
    void wholeLinesAreDroppedWhenFullAndReportedOnceWhenThereIsRoom() {
        String line = "x".repeat(99);
        for (int i = 0; i < 10_000; i++) {
            lines.println(line);
        }
        long dropped = output.dropped();
        assertThat(dropped).isBetween(5_000L, 9_000L);

        readable.countDown();
        await().untilAsserted(() -> assertThat(reported).containsExactly(dropped));
        lines.println("on again");
        output.drain(LONG);

        assertThat(text().lines()).filteredOn(line::equals).hasSize(10_000 - (int) dropped);
        assertThat(text().lines().filter(text -> !text.equals(line))).containsExactly("on again");
        assertThat(reported).hasSize(1);
    }

    @Test
    void drainingEndsAtItsTimeout() {
        lines.println("never read");
        long begun = System.nanoTime();
        output.drain(Duration.ofMillis(200));

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(Duration.ofMillis(200), LONG);
        assertThat(text()).isEmpty();
        readable.countDown();
    }

    @Test
    void linesLostToAFailingStreamAreCountedButNotReported() {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        DroppingOutput failing = new DroppingOutput(broken, "test-broken", reported::add);
        new PrintStream(failing, true, UTF_8).print("one\ntwo\n");
        failing.drain(LONG);

        assertThat(failing.dropped()).isEqualTo(2);
        assertThat(reported).isEmpty();
    }

    private String text() {
        return written.toString(UTF_8);
    }
}
