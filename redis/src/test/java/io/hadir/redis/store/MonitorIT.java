package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Message;
import io.hadir.presence.user.UserSettings;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What Redis is really asked for. */
class MonitorIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    /** Nobody is renewed while a test listens. */
    private static final UserSettings QUIET =
            new UserSettings(Duration.ofMinutes(10), Duration.ofHours(1), Duration.ofMinutes(10), 20);

    MonitorIT() {
        super(REDIS, QUIET);
    }

    @Test
    void g3_aBusyRunScansNothingAndWritesNoPresenceWithoutItsTtl() throws IOException {
        try (Monitor monitor = new Monitor(REDIS)) {
            List<TestNode.Client> clients = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                TestNode.Client client = (i % 2 == 0 ? a : b).openAuthenticated("u" + i % 25);
                client.join("r" + i % 3);
                clients.add(client);
            }
            List<UserId> everybody =
                    clients.stream().map(client -> client.user).distinct().toList();
            get(a.users.message(new Message(new RoomId("r0"), new UserId("sender"), everybody, null)));
            clients.forEach(client -> client.focus("r1"));
            get(b.users.unread(everybody.get(0)));
            get(b.users.rooms(everybody.get(0)));
            b.usersOnline();
            clients.forEach(client -> client.heartbeat("r0"));
            a.list("r0");
            ok(clients.get(1).watchRooms("r1"));
            get(a.presence.kick(new RoomId("r1"), clients.get(1).user, null));
            for (int i = 0; i < 20; i++) {
                get(clients.get(i).close());
                a.openAuthenticated("u" + i % 25);
            }
            clients.get(30).leave("r0");
            clients.get(31).leaveEverywhere("r1");
            List<String> lines = monitorUntilNow(monitor);

            assertThat(lines).hasSizeGreaterThan(300);
            assertThat(lines)
                    .noneMatch(line ->
                            command(line).equals("SCAN") || command(line).equals("KEYS"));
            List<String> written = lines.stream()
                    .filter(line -> line.contains("\"room:presence:"))
                    .filter(line -> line.contains("[0 lua]") || !command(line).startsWith("EVAL"))
                    .filter(line -> !List.of(
                                    "EXISTS",
                                    "PTTL",
                                    "PEXPIRETIME",
                                    "GET",
                                    "MGET",
                                    "DEL",
                                    "EXPIRE",
                                    "PEXPIRE",
                                    "PEXPIREAT")
                            .contains(command(line)))
                    .toList();
            assertThat(written).isNotEmpty().allMatch(line -> command(line).equals("SET") && line.contains("\"PX"));
            assertThat(lines.stream()
                            .filter(line -> line.contains("[0 lua]") && line.contains(":online\""))
                            .filter(line ->
                                    !List.of("EXISTS", "GET", "MGET", "DEL").contains(command(line))))
                    .isNotEmpty()
                    .allMatch(line -> command(line).equals("SET") && line.contains("\"PX\""));
            assertThat(REDIS.cli().keys("room:presence:*"))
                    .isNotEmpty()
                    .allSatisfy(key -> assertThat(REDIS.cli().ttl(key)).isGreaterThanOrEqualTo(0));
        }
    }

    @Test
    void aHeartbeatIsExactlyOneExpire() throws IOException {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        String beat = "\"EXPIRE\" \"room:presence:r:adi\" \"60\"";
        try (Monitor monitor = new Monitor(REDIS)) {
            for (int i = 0; i < 10; i++) {
                ok(adi.heartbeat("r"));
            }
            List<String> lines = monitorUntilNow(monitor).stream()
                    .filter(line -> line.contains(":r:")) // the link checks itself meanwhile
                    .toList();
            assertThat(lines).filteredOn(line -> line.endsWith(beat)).hasSize(10);
            // The announcement of the join may be under way, which takes one count.
            assertThat(lines)
                    .filteredOn(line -> !line.endsWith(beat) && !line.contains("[0 lua]"))
                    .hasSizeLessThan(2);
        }
    }

    @Test
    void aUserWhomNobodyWatchesIsPublishedToNobody() throws IOException {
        ok(a.open("ana").watchUsers("budi"));
        try (Monitor monitor = new Monitor(REDIS)) {
            get(b.connect("adi").close());
            get(b.connect("budi").close());
            List<String> published = monitorUntilNow(monitor).stream()
                    .filter(line -> command(line).equals("PUBLISH") && line.contains(":users"))
                    .toList();
            assertThat(published).hasSize(2).allMatch(line -> line.contains(a.id) && line.contains("budi"));
        }
    }

    @Test
    void g3_everythingThatHadirWritesHasATtlOrIsASetting() throws IOException {
        TestNode.Client adi = a.openAuthenticated("adi");
        adi.join("r");
        get(adi.close());
        b.open("budi").join("r");
        get(b.presence.kick(new RoomId("r"), new UserId("budi"), null));
        get(b.users.message(new Message(new RoomId("r"), new UserId("budi"), List.of(adi.user), null)));
        assertThat(REDIS.cli().keys("*"))
                .hasSizeGreaterThan(5)
                .allSatisfy(key -> assertThat(REDIS.cli().ttl(key)).as(key).isNotEqualTo(-1));
    }

    private static List<String> monitorUntilNow(Monitor monitor) throws IOException {
        REDIS.cli().echo("that was all");
        return monitor.until("that was all");
    }

    /** The name of the command on a line of {@code 1700000000.123 [0 address] "NAME" "argument"…}. */
    private static String command(String line) {
        String rest = line.substring(line.indexOf("] \"") + 3);
        return rest.substring(0, rest.indexOf('"')).toUpperCase(Locale.ROOT);
    }
}
