package io.hadir.presence.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.Clients;
import io.hadir.presence.LocalNode;
import io.hadir.presence.Presence;
import io.hadir.presence.UserListener;
import io.hadir.presence.contract.InMemoryStores;
import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** However many sockets hold a seat, a sweep looks at it once, and so does each of their nodes. */
class SeatSweepTest {
    private static final int TABS = 20;
    private static final Seat SEAT = new Seat(new RoomId("r"), new UserId("adi"));
    private static final PresenceSettings SETTINGS = new PresenceSettings(
            Duration.ofHours(6),
            Duration.ofSeconds(25),
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofSeconds(15),
            1000,
            50);

    private final TestLoop loop = new TestLoop();
    private final InMemoryStores memory = new InMemoryStores(loop, SETTINGS);
    private final List<Sighting> asked = new ArrayList<>();
    private final Presence presence = new Presence(
            "a",
            memory.stores(),
            memory.feed(),
            fake(Clients.class, (proxy, method, given) -> null),
            loop,
            loop,
            SETTINGS,
            fake(UserListener.class, (proxy, method, given) -> {
                if (method.getName().equals("joining")) {
                    return UserListener.Joining.OF_NOBODY;
                }
                Object user = method.getName().startsWith("admit") ? Answer.ok(given[1]) : null;
                return method.getReturnType() == void.class ? null : CompletableFuture.completedFuture(user);
            }));

    @Test
    void theNodeOfManyTabsReportsTheirSeatOnce() {
        for (int tab = 0; tab < TABS; tab++) {
            SocketId socket = new SocketId("a." + tab);
            presence.connect(socket, null, room -> true);
            presence.join(socket, SEAT.room(), SEAT.user(), new Profile(null, Username.of(SEAT.user())), true);
            loop.advance(Duration.ofSeconds(1));
        }
        CompletionStage<LocalNode.OwnRooms> checked =
                CompletableFuture.supplyAsync(presence.node()::checkRooms, loop).thenCompose(own -> own);
        loop.advance(Duration.ofSeconds(1));

        assertThat(checked.toCompletableFuture().join().shared())
                .singleElement()
                .satisfies(seen -> assertThat(seen.sockets()).hasSize(TABS));
    }

    @Test
    void anotherNodeIsAskedOnce() {
        Nodes nodes = fake(Nodes.class, (proxy, method, given) -> switch (method.getName()) {
            case "self" -> "a";
            case "renewLease" -> CompletableFuture.completedFuture(true);
            case "alive" -> CompletableFuture.completedFuture(Optional.of(Set.of("a", "b")));
            case "withoutLease" -> CompletableFuture.completedFuture(Set.of());
            case "recordGone" -> CompletableFuture.completedFuture(Map.of());
            case "ask" -> {
                ((List<?>) given[1]).forEach(one -> asked.add((Sighting) one));
                yield null;
            }
            default -> null;
        });
        LeaseKeeper lease = new LeaseKeeper(nodes, loop, SETTINGS.lease());
        lease.start();
        loop.advance(SETTINGS.lease().multipliedBy(2));
        SeatSweep sweep = new SeatSweep(presence.node(), memory.stores().seats(), nodes, lease, loop);
        Set<SocketId> tabs = IntStream.range(0, TABS)
                .mapToObj(tab -> new SocketId("b." + tab))
                .collect(Collectors.toSet());
        Sighting seen = new Sighting(SEAT, new SocketId("b.0"), tabs, true);
        CompletionStage<Boolean> swept = sweep.sweep(List.of(seen));
        loop.advance(Duration.ofSeconds(1));

        assertThat(swept.toCompletableFuture()).isCompletedWithValue(true);
        assertThat(asked).containsExactly(seen);
    }

    private static <T> T fake(Class<T> type, InvocationHandler calls) {
        return Objects.requireNonNull(
                type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls)));
    }
}
