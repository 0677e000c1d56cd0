package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * Tells sockets the counts of the rooms that they watch, whether they are in them or not. A room is counted once for all
 * its watchers, and sockets that watch the same rooms share each message. Lives on the loop.
 */
final class Lobby {
    /** The least time between two messages to a socket. */
    private static final Duration PERIOD = Duration.ofSeconds(2);

    /** How long changes gather that come together after a quiet time. */
    private static final Duration MOMENT = Duration.ofMillis(50);

    private static final long UNKNOWN = -1;

    private final RoomStore store;
    private final LocalRooms rooms;
    private final Clients clients;
    private final Loop loop;
    private final Map<SocketId, Audience> bySocket = new HashMap<>();
    private final Map<List<RoomId>, Audience> audiences = new HashMap<>();
    private final Map<RoomId, Watched> watched = new HashMap<>();
    private final Set<RoomId> changed = new LinkedHashSet<>();
    private long lastId;
    private long sentAt;
    private boolean sending;

    /** The sockets that watch the same rooms. */
    private static final class Audience {
        final long id;
        final List<RoomId> rooms;
        final Set<SocketId> sockets = new HashSet<>();

        Audience(long id, List<RoomId> rooms) {
            this.id = id;
            this.rooms = rooms;
        }
    }

    /** A room that is watched. */
    private static final class Watched {
        final Set<Audience> audiences = new HashSet<>();
        /** The count that all watchers know; unknown if they may know different ones. */
        long told = UNKNOWN;
        /** The latest count that this node has heard of. */
        long count = UNKNOWN;
    }

    Lobby(RoomStore store, LocalRooms rooms, Clients clients, Loop loop) {
        this.store = store;
        this.rooms = rooms;
        this.clients = clients;
        this.loop = loop;
        this.sentAt = loop.nanos() - PERIOD.toNanos();
    }

    /** From now on the socket watches these rooms and no others. Completes with their counts. */
    CompletionStage<Map<RoomId, Long>> watch(SocketId socket, List<RoomId> list) {
        Audience before = bySocket.get(socket);
        List<CompletionStage<Void>> subscribed = enter(socket, list);
        if (before != null) {
            exit(socket, before);
        }
        return Stages.all(subscribed).thenCompose(done -> count(list));
    }

    /** From now on the socket watches these rooms only, of those that it watches. */
    void restrict(SocketId socket, Predicate<RoomId> permitted) {
        Audience before = bySocket.get(socket);
        if (before != null && !before.rooms.stream().allMatch(permitted)) {
            enter(socket, before.rooms.stream().filter(permitted).toList());
            exit(socket, before);
        }
    }

    void forget(SocketId socket) {
        Audience audience = bySocket.remove(socket);
        if (audience != null) {
            exit(socket, audience);
        }
    }

    private List<CompletionStage<Void>> enter(SocketId socket, List<RoomId> list) {
        List<CompletionStage<Void>> subscribed = new ArrayList<>();
        bySocket.remove(socket);
        if (list.isEmpty()) {
            return subscribed;
        }
        Audience audience = audiences.computeIfAbsent(list, first -> new Audience(++lastId, first));
        audience.sockets.add(socket);
        bySocket.put(socket, audience);
        clients.enterLobby(socket, audience.id);
        for (RoomId room : list) {
            watched.computeIfAbsent(room, first -> new Watched()).audiences.add(audience);
            subscribed.add(rooms.watch(room));
        }
        return subscribed;
    }

    private void exit(SocketId socket, Audience audience) {
        if (bySocket.get(socket) == audience) {
            return;
        }
        audience.sockets.remove(socket);
        clients.exitLobby(socket, audience.id);
        if (!audience.sockets.isEmpty()) {
            return;
        }
        audiences.remove(audience.rooms);
        for (RoomId id : audience.rooms) {
            Watched room = watched.get(id);
            if (room != null) {
                room.audiences.remove(audience);
                if (room.audiences.isEmpty()) {
                    watched.remove(id);
                    changed.remove(id);
                    rooms.unwatch(id);
                }
            }
        }
    }

    /** Reads the counts for a new watcher. If the others know another count, all are told the newest one soon. */
    private CompletionStage<Map<RoomId, Long>> count(List<RoomId> list) {
        Map<RoomId, CompletionStage<RoomStore.Headcount>> counts = store.count(list);
        return Stages.on(loop, Stages.all(counts.values())).thenApply(done -> {
            Map<RoomId, Long> answer = new LinkedHashMap<>();
            counts.forEach((id, counted) -> {
                RoomStore.Headcount count = counted.toCompletableFuture().join();
                answer.put(id, count.alive());
                LocalRoom local = rooms.get(id);
                if (local != null) {
                    local.coalescer.begin(count.revision());
                }
                Watched room = watched.get(id);
                if (room != null && room.count == UNKNOWN && !changed.contains(id)) {
                    room.told = count.alive();
                    room.count = count.alive();
                } else if (room != null && room.told != count.alive()) {
                    room.told = UNKNOWN;
                    room.count = UNKNOWN;
                    tellSoon(id);
                }
            });
            return answer;
        });
    }

    /** The room has so many users. */
    void counted(RoomId id, long count) {
        Watched room = watched.get(id);
        if (room != null) {
            room.count = count;
            if (room.told != count) {
                tellSoon(id);
            }
        }
    }

    private void tellSoon(RoomId id) {
        changed.add(id);
        if (!sending) {
            sending = true;
            Duration since = Duration.ofNanos(loop.nanos() - sentAt);
            Duration rest = PERIOD.minus(since);
            loop.after(rest.compareTo(MOMENT) > 0 ? rest : MOMENT, this::tell);
        }
    }

    private void tell() {
        List<RoomId> unsure = changed.stream().filter(this::isUnsure).toList();
        if (unsure.isEmpty()) {
            send();
            return;
        }
        Map<RoomId, CompletionStage<RoomStore.Headcount>> counts = store.count(unsure);
        Stages.all(counts.values())
                .whenCompleteAsync(
                        (done, failed) -> {
                            counts.forEach((id, counted) -> {
                                Watched room = watched.get(id);
                                CompletableFuture<RoomStore.Headcount> count = counted.toCompletableFuture();
                                if (room != null && room.count == UNKNOWN && !count.isCompletedExceptionally()) {
                                    room.count = count.join().alive();
                                }
                            });
                            send();
                        },
                        loop);
    }

    private boolean isUnsure(RoomId id) {
        Watched room = watched.get(id);
        return room != null && room.count == UNKNOWN;
    }

    private void send() {
        sending = false;
        sentAt = loop.nanos();
        List<RoomId> all = List.copyOf(changed);
        changed.clear();
        Map<Audience, Map<RoomId, Long>> messages = new LinkedHashMap<>();
        for (RoomId id : all) {
            Watched room = watched.get(id);
            if (room == null) {
                continue;
            }
            if (room.count == UNKNOWN) {
                // The store did not answer.
                tellSoon(id);
            } else if (room.count != room.told) {
                room.told = room.count;
                room.audiences.forEach(audience -> messages.computeIfAbsent(audience, first -> new LinkedHashMap<>())
                        .put(id, room.count));
            }
        }
        messages.forEach((audience, counts) -> clients.announceCounts(audience.id, counts));
    }
}
