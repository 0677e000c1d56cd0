package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of visits that begin and end; {@code ./verify --long} has a hundred thousand. */
class SoakIT {
    private static final int LIVES = Integer.getInteger("hadir.soak", 2_000);
    private static final int AT_ONCE = 50;
    private static final int ROOMS = 10;
    private static final Pattern TOTAL = Pattern.compile("^Total +\\d+ +(\\d+)", Pattern.MULTILINE);

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder = Path.of("");

    private final Random random = new Random(50);

    /** What a server holds while nobody is connected. */
    private record Holdings(long heap, long descriptors, int threads, Set<String> keys) {}

    @Test
    void f50_afterThousandsOfVisitsHeapDescriptorsThreadsAndKeysReturnToTheStart() throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, REDIS.url())) {
            live(server, 1_000);
            Holdings before = holdings(server);
            live(server, LIVES);
            Holdings after = holdings(server);

            System.err.printf("before: %s%nafter %,d lives: %s%n", before, LIVES, after);
            assertThat(after.heap).isLessThan(before.heap + before.heap / 10 + 1_000_000);
            assertThat(after.descriptors).isLessThanOrEqualTo(before.descriptors + 5);
            assertThat(after.threads).isLessThanOrEqualTo(before.threads + 5);
            assertThat(after.keys).isEqualTo(before.keys);
        }
    }

    /** Users connect, join, and go: with a disconnect, without one, or by leaving the room and staying connected. */
    private void live(HadirProcess server, int lives) {
        for (int life = 0; life < lives; life += AT_ONCE) {
            List<CompletableFuture<?>> wave = IntStream.range(0, AT_ONCE)
                    .<CompletableFuture<?>>mapToObj(i -> liveOnce(server, "u" + i, "r" + i % ROOMS, random.nextInt(3)))
                    .toList();
            wave.forEach(CompletableFuture::join);
        }
    }

    private static CompletableFuture<?> liveOnce(HadirProcess server, String user, String room, int end) {
        return Guest.open(server.port(), user).thenCompose(guest -> {
            guest.keepNoList();
            return guest.comeIn(room, 10)
                    .thenCompose(in -> switch (end) {
                        case 0 -> guest.ask("leave_room", room);
                        case 1 -> guest.ask("room:heartbeat", room);
                        default -> CompletableFuture.completedFuture(null);
                    })
                    .whenComplete((done, failed) -> guest.close());
        });
    }

    private static Holdings holdings(HadirProcess server) throws Exception {
        await().until(() -> REDIS.cli().keys("room:*").isEmpty()
                && server.get("/metrics").lines().anyMatch("hadir_sessions 0.0"::equals));
        // History, and the keys of servers and sweeps, come and go with the clock.
        Set<String> keys = new TreeSet<>(REDIS.cli().keys("hadir:room:*"));
        keys.removeIf(key -> key.contains(":removals:") || key.contains(":history:"));
        keys.addAll(REDIS.cli().keys("hadir:user:*"));
        keys.addAll(REDIS.cli().keys("user:*"));
        return new Holdings(heap(server), descriptors(server), threads(server), keys);
    }

    private static long heap(HadirProcess server) throws Exception {
        jcmd(server, "GC.run");
        Matcher total = TOTAL.matcher(jcmd(server, "GC.class_histogram"));
        assertThat(total.find()).isTrue();
        return Long.parseLong(total.group(1));
    }

    private static String jcmd(HadirProcess server, String command) throws Exception {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), "" + server.pid(), command)
                .redirectErrorStream(true)
                .start();
        return new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static long descriptors(HadirProcess server) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
            return files.count();
        }
    }

    private static int threads(HadirProcess server) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + server.pid() + "/status")).stream()
                .filter(line -> line.startsWith("Threads:"))
                .mapToInt(line -> Integer.parseInt(line.substring(8).strip()))
                .findFirst()
                .orElseThrow();
    }
}
