package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.RoomStore;
import io.hadir.presence.SeatStore;
import io.hadir.presence.Stores;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.testing.TestRedis;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Random steps on the real scripts, compared after each with a model that is too simple to be wrong. */
class InterleavingsIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final long SEED = Long.getLong("hadir.seed", 20260801);
    private static final int RUNS = 1000;
    private static final int RUNS_AT_ONCE = 16;
    private static final int STEPS = 25;
    private static final List<String> USERS = List.of("ani", "budi", "citra");
    private static final List<String> NODES = List.of("n1", "n2");
    private static final int TABS = 2;

    private RedisLink link;
    private SeatStore seats;
    private RoomStore rooms;

    @BeforeEach
    void connect() {
        link = new RedisLink(RedisAddress.parse(REDIS.url()));
        link.open();
        RemovalStatistics statistics = new RemovalStatistics(link, InstantSource.system());
        Stores stores = RedisStores.open(
                link,
                new RoomScripts(link, "n", LONG),
                new UserScripts(link, UserSettings.of(LONG.grace(), 20)),
                statistics,
                LONG,
                PresenceObserver.UNSEEN);
        seats = stores.seats();
        rooms = stores.rooms();
        await().until(() -> link.isUp());
    }

    /** A grace that does not run out by itself while a run lasts. */
    private static final PresenceSettings LONG = new PresenceSettings(
            Duration.ofHours(6),
            Duration.ofMinutes(10),
            Duration.ofMinutes(5),
            Duration.ofHours(1),
            Duration.ofHours(1),
            1000,
            50);

    @AfterEach
    void disconnect() {
        link.close();
    }

    @Test
    void aThousandRandomInterleavingsAgreeWithTheModel() throws Exception {
        // The runs have rooms of their own and mostly wait for Redis, so many of them share that time.
        ExecutorService pool = Executors.newFixedThreadPool(RUNS_AT_ONCE);
        try {
            List<Callable<Void>> runs = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                Run run = new Run("room" + i, new Random(SEED + i));
                runs.add(() -> {
                    run.all();
                    return null;
                });
            }
            for (Future<Void> run : pool.invokeAll(runs)) {
                run.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    /** One user of the model: absent without an entry, in the grace without a socket. */
    private static final class Modelled {
        final Map<String, Long> sockets = new TreeMap<>();
        /** Whether the seat falls back to a saved grace period if its present sockets turn out to be dead. */
        boolean graceNoted;
    }

    private final class Run {
        private final RoomId room;
        private final Random random;
        private final Map<String, Modelled> present = new TreeMap<>();
        private final Map<String, Long> turns = new HashMap<>();
        private final List<String> log = new ArrayList<>();
        private long changes;
        private long first = -1;

        Run(String room, Random random) {
            this.room = new RoomId(room);
            this.random = random;
        }

        void all() {
            for (int i = 0; i < STEPS; i++) {
                step();
                compare();
            }
        }

        private void step() {
            String user = pick(USERS);
            String socket = pick(NODES) + "." + user + random.nextInt(TABS);
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> join(user, socket);
                case 3 -> leave(user, socket);
                case 4 -> leaveLate(user, socket);
                case 5 -> close(user, socket);
                case 6 -> lapse(user);
                case 7 -> crash(pick(NODES));
                case 8 -> restore(user, socket);
                default -> loseOrKick(user);
            }
        }

        private void join(String user, String socket) {
            long turn = nextTurn(socket);
            say("join", user, socket);
            get(seats.join(
                    SeatStore.Join.of(seat(user), holder(socket, turn), Profile.named(Username.of(new UserId(user))))));
            if (!present.containsKey(user)) {
                present.put(user, new Modelled());
                changes++;
            }
            present.get(user).sockets.put(socket, turn);
        }

        private void leave(String user, String socket) {
            say("leave", user, socket);
            get(seats.leave(seat(user), holder(socket, nextTurn(socket)), RemovalReason.LEFT, false));
            Modelled modelled = present.get(user);
            if (modelled != null && modelled.sockets.remove(socket) != null) {
                modelled.graceNoted = false;
                if (modelled.sockets.isEmpty()) {
                    out(user);
                }
            }
        }

        /** A leave that was under way while the socket joined again, or that belongs to a socket that is gone. */
        private void leaveLate(String user, String socket) {
            say("late leave", user, socket);
            get(seats.leave(seat(user), holder(socket, turns.getOrDefault(socket, 1L) - 1), RemovalReason.LEFT, false));
        }

        private void close(String user, String socket) {
            say("disconnect", user, socket);
            get(seats.disconnect(seat(user), holder(socket, nextTurn(socket)), false));
            Modelled modelled = present.get(user);
            if (modelled != null && modelled.sockets.remove(socket) != null) {
                modelled.graceNoted = true;
            }
        }

        /** The grace of a user runs out, if it is in one. */
        private void lapse(String user) {
            say("lapse", user, "");
            Modelled modelled = present.get(user);
            if (modelled != null && modelled.sockets.isEmpty()) {
                REDIS.cli().del(key(user));
                REDIS.cli().zadd("hadir:room:" + room + ":lapses", 1, user);
                out(user);
            }
            get(rooms.expireLapses(room));
        }

        private void crash(String node) {
            say("crash", node, "");
            for (String user : USERS) {
                Set<String> dead = new TreeSet<>();
                Modelled modelled = present.get(user);
                for (int tab = 0; tab < TABS; tab++) {
                    dead.add(node + "." + user + tab);
                }
                get(seats.sweep(
                        seat(user),
                        RemovalReason.SERVER_GONE,
                        dead.stream().map(SocketId::new).toList()));
                if (modelled != null && !modelled.sockets.isEmpty()) {
                    modelled.sockets.keySet().removeAll(dead);
                    if (modelled.sockets.isEmpty() && !modelled.graceNoted) {
                        out(user);
                    }
                }
            }
        }

        private void restore(String user, String socket) {
            say("restore", user, socket);
            long turn = nextTurn(socket);
            boolean restored =
                    get(seats.restore(seat(user), holder(socket, turn), null)).isPresent();
            Modelled modelled = present.get(user);
            assertThat(restored).as("%s", log).isEqualTo(modelled != null);
            if (modelled != null) {
                modelled.sockets.put(socket, turn);
                // From here on as after its first heartbeat, so that a crash is one.
                get(seats.heartbeat(seat(user), LONG.ttl()));
            }
        }

        private void loseOrKick(String user) {
            boolean kick = random.nextBoolean();
            say(kick ? "kick" : "key deleted and noticed", user, "");
            if (kick) {
                get(seats.kick(seat(user), null));
            } else {
                REDIS.cli().del(key(user));
                get(rooms.announceExpired(room, List.of(new UserId(user)), null));
            }
            if (present.containsKey(user)) {
                out(user);
            }
        }

        private void out(String user) {
            present.remove(user);
            changes++;
        }

        private void compare() {
            Page page = get(rooms.list(room, null, 100));
            Set<String> listed = new TreeSet<>();
            page.participants()
                    .forEach(participant -> listed.add(participant.user().value()));
            assertThat(listed).as("%s", log).isEqualTo(present.keySet());
            assertThat(get(rooms.count(room)).alive()).as("%s", log).isEqualTo(present.size());
            if (first < 0 && changes > 0) {
                first = page.revision() - changes;
            }
            if (first >= 0) {
                assertThat(page.revision()).as("%s", log).isEqualTo(first + changes);
            }
            present.forEach((user, modelled) -> {
                String named = REDIS.cli().get(key(user));
                long left = REDIS.cli().pttl(key(user));
                if (modelled.sockets.isEmpty()) {
                    assertThat(left).as("%s", log).isBetween(1L, LONG.grace().toMillis());
                } else {
                    assertThat(modelled.sockets).as("%s", log).containsKey(named);
                    assertThat(left).as("%s", log).isGreaterThan(LONG.grace().toMillis());
                }
            });
        }

        private void say(String what, String who, String socket) {
            log.add(what + " " + who + " " + socket);
        }

        private String pick(List<String> items) {
            return items.get(random.nextInt(items.size()));
        }

        private long nextTurn(String socket) {
            return turns.merge(socket, 1L, Long::sum);
        }

        private Seat seat(String user) {
            return new Seat(room, new UserId(user));
        }

        private String key(String user) {
            return "room:presence:" + room + ":" + user;
        }
    }

    private static Holder holder(String socket, long turn) {
        return new Holder(new SocketId(socket), turn);
    }
}
