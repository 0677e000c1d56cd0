package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is gone only if nothing else can be true. */
class ProcessPlaceTest {
    private static final String FIRST = "pid:[4026531836]";
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofDays(2);

    @TempDir
    Path root = Path.of("");

    @BeforeEach
    void machine() throws IOException {
        write("etc/machine-id", "0123456789abcdef\n");
        write("proc/sys/kernel/random/boot_id", "boot-1\n");
        write("proc/uptime", "86400.00 1000.00\n");
        process("self", 500, "S", 7_000);
        namespace(FIRST);
    }

    @Test
    void f63_aProcessIsGoneIfItsIdIs() throws IOException {
        ProcessPlace former = own();
        ProcessPlace now = restarted();
        assertThat(now.isGone(former, SECOND, LEASE, root)).isTrue();
    }

    @Test
    void f63_aRunningProcessIsNeverGone() throws IOException {
        ProcessPlace former = own();
        ProcessPlace now = restarted();
        for (String state : new String[] {"R", "S", "D", "T", "t"}) {
            process("500", 500, state, 7_000);
            assertThat(now.isGone(former, LONG, LEASE, root)).as(state).isFalse();
        }
    }

    @Test
    void f63_anotherProcessWithItsIdDoesNotKeepItAlive() throws IOException {
        ProcessPlace former = own();
        ProcessPlace now = restarted();
        process("500", 500, "S", 8_000);
        assertThat(now.isGone(former, SECOND, LEASE, root)).isTrue();
    }

    @Test
    void f63_aProcessThatHasEndedUnnoticedByItsParentIsGone() throws IOException {
        ProcessPlace former = own();
        ProcessPlace now = restarted();
        process("500", 500, "Z", 7_000);
        Files.createDirectories(root.resolve("proc/500/task/500"));
        assertThat(now.isGone(former, SECOND, LEASE, root)).isTrue();
        Files.createDirectories(root.resolve("proc/500/task/501"));
        assertThat(now.isGone(former, SECOND, LEASE, root))
                .as("one of its threads lives")
                .isFalse();
    }

    @Test
    void f63_whatCannotBeReadIsNotGone() throws IOException {
        ProcessPlace former = own();
        ProcessPlace now = restarted();
        write("proc/500/stat", "nonsense");
        assertThat(now.isGone(former, LONG, LEASE, root)).isFalse();
    }

    @Test
    void f63_nothingIsKnownAboutAnotherMachineAddressUserOrNamespace() throws IOException {
        ProcessPlace former = own();
        ProcessPlace now = restarted();
        ProcessPlace elsewhere = Objects.requireNonNull(ProcessPlace.own(root, "127.0.0.1", 8081));
        assertThat(elsewhere.isGone(former, LONG, LEASE, root)).isFalse();
        String text = former.text();
        assertThat(now.isGone(parse(text), LONG, LEASE, root)).isTrue();
        assertThat(now.isGone(parse("f" + text.substring(1)), LONG, LEASE, root))
                .isFalse();
        assertThat(now.isGone(parse(text.replace(FIRST, "pid:[4026532999]")), LONG, LEASE, root))
                .isFalse();
        String user = " " + former.user() + " 500 ";
        assertThat(text).contains(user);
        assertThat(now.isGone(parse(text.replace(user, " 4711 500 ")), LONG, LEASE, root))
                .isFalse();
    }

    @Test
    void f63_aRestartOfTheMachineEndsEveryProcessThatWasSilentSinceBefore() throws IOException {
        ProcessPlace former = own();
        write("proc/sys/kernel/random/boot_id", "boot-2\n");
        process("500", 500, "S", 7_000);
        ProcessPlace now = own();
        assertThat(now.isGone(former, Duration.ofSeconds(86_500), LEASE, root)).isTrue();
        assertThat(now.isGone(former, Duration.ofSeconds(86_300), LEASE, root))
                .as("another machine has the same id")
                .isFalse();
        write("proc/uptime", "3.00 1.00\n");
        assertThat(now.isGone(former, Duration.ofSeconds(10), LEASE, root))
                .as("its lease may still run")
                .isFalse();
        assertThat(now.isGone(former, Duration.ofSeconds(16), LEASE, root)).isTrue();
    }

    @Test
    void f63_aContainerDoesNotKnowItsMachine() throws IOException {
        namespace("pid:[4026532500]");
        ProcessPlace former = own();
        assertThat(restarted().isGone(former, SECOND, LEASE, root))
                .as("the same container")
                .isTrue();
        write("proc/sys/kernel/random/boot_id", "boot-2\n");
        assertThat(own().isGone(former, LONG, LEASE, root)).isFalse();
    }

    @Test
    void f63_aPlaceWithAnUnknownPartIsNoPlace() throws IOException {
        assertThat(ProcessPlace.own(root, "127.0.0.1", 0)).isNull();
        for (String part :
                new String[] {"etc/machine-id", "proc/sys/kernel/random/boot_id", "proc/self/stat", "proc/self/ns/pid"
                }) {
            Path file = root.resolve(part);
            Path aside = root.resolve("aside");
            Files.move(file, aside);
            assertThat(ProcessPlace.own(root, "127.0.0.1", 8080)).as(part).isNull();
            Files.move(aside, file);
        }
        write("etc/machine-id", "\n");
        assertThat(ProcessPlace.own(root, "127.0.0.1", 8080)).isNull();
    }

    @Test
    void theTextHasEveryPartAndNotTheMachinesId() throws IOException {
        ProcessPlace place = own();
        assertThat(parse(place.text())).isEqualTo(place);
        assertThat(place.text()).doesNotContain("0123456789abcdef");
        assertThat(ProcessPlace.parse("")).isNull();
        assertThat(ProcessPlace.parse("a b c d e f g")).isNull();
        assertThat(ProcessPlace.parse("a b c")).isNull();
    }

    private static ProcessPlace parse(String text) {
        return Objects.requireNonNull(ProcessPlace.parse(text));
    }

    private ProcessPlace own() {
        return Objects.requireNonNull(ProcessPlace.own(root, "127.0.0.1", 8080));
    }

    /** The place after a restart of the server. */
    private ProcessPlace restarted() throws IOException {
        process("self", 600, "S", 9_000);
        return own();
    }

    private void process(String folder, int pid, String state, long started) throws IOException {
        write(
                "proc/" + folder + "/stat",
                pid + " (java (x) y) " + state + " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 " + started
                        + " 20 21\n");
    }

    private void namespace(String name) throws IOException {
        Path link = root.resolve("proc/self/ns/pid");
        Files.createDirectories(Objects.requireNonNull(link.getParent()));
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, Path.of(name));
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(Objects.requireNonNull(path.getParent()));
        Files.writeString(path, text);
    }
}
