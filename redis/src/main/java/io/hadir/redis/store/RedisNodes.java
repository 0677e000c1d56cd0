package io.hadir.redis.store;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.Stages;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.Nodes.NodeStatus;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leases, the lock of the scan, and questions between nodes, all with the hash tag {@code {nodes}}. */
public final class RedisNodes implements Nodes {
    private static final Script RENEW_LEASE = Script.plain("renew-lease");
    private static final Script CHECK_LEASES = Script.plain("check-leases");
    private static final Script READ_LEASES = Script.plain("read-leases");
    private static final Script RECORD_GONE = Script.plain("record-gone-nodes");
    private static final Script LOCK_NODE = Script.plain("lock-node");
    private static final Script READ_LAST_SIGNS = Script.plain("read-last-signs");
    private static final Script LOCK = Script.plain("lock");
    /** As long as a node's report about users counts, {@code UserSettings.recorded()}. */
    private static final Duration GONE_FOR = Duration.ofMinutes(15);

    /** How long a node that cleans up may be silent before another one takes over. */
    private static final Duration LOCKED_FOR = Duration.ofSeconds(3);

    /** The remaining time of a missing key. */
    private static final long NO_KEY = -2;

    private static final Duration MARGIN = Duration.ofSeconds(1);
    private static final String ASK = "ask ";
    private static final int CLAIMS_AT_ONCE = 4000;

    /** Redis closes a connection that has too much to read. */
    private static final int SIGHTINGS_AT_ONCE = 500;

    private static final Logger LOG = LoggerFactory.getLogger(RedisNodes.class);

    private final RedisLink link;
    private final RedisRoomFeed feed;
    private final String self;
    private final Supplier<String> about;
    private final Duration lease;
    private final Duration lock;
    private final Duration pace;
    private final PresenceObserver observer;
    private volatile boolean hadLease;
    private volatile long scanBegun;

    /**
     * The nodes as seen by one of them.
     *
     * @param about the report about this node for operators, in JSON
     */
    public RedisNodes(
            RedisLink link,
            RedisRoomFeed feed,
            String self,
            Supplier<String> about,
            PresenceSettings settings,
            PresenceObserver observer) {
        this.link = link;
        this.feed = feed;
        this.self = self;
        this.about = about;
        this.observer = observer;
        this.lease = settings.lease();
        this.lock = settings.lease().multipliedBy(2).dividedBy(3);
        this.pace = settings.sweep().compareTo(MARGIN) > 0 ? settings.sweep().minus(MARGIN) : settings.sweep();
    }

    @Override
    public String self() {
        return self;
    }

    @Override
    public CompletionStage<Boolean> renewLease() {
        List<String> keys = List.of(
                RedisKeys.lease(self),
                RedisKeys.KNOWN_NODES,
                RedisKeys.GONE_NODES,
                RedisKeys.LAST_SIGNS,
                RedisKeys.SCAN_DONE);
        List<String> arguments = List.of(
                self,
                about.get(),
                Long.toString(lease.toMillis()),
                link.inRedis(RedisKeys.lease("")),
                hadLease ? "1" : "");
        return link.<Long>writeFirst(
                        RedisKeys.KNOWN_NODES,
                        redis -> RENEW_LEASE.run(redis, ScriptOutputType.INTEGER, keys, arguments))
                .thenApply(kept -> kept == 1)
                .whenComplete((kept, failed) -> {
                    if (failed != null) {
                        observer.leaseFailed();
                    } else {
                        hadLease = true;
                        observer.leaseRenewed(kept);
                    }
                });
    }

    @Override
    public void onReturn(Runnable action) {
        link.onReturn(action);
    }

    @Override
    public CompletionStage<Void> endLease(String node) {
        return forget(Set.of(node))
                .thenCompose(done -> link.write(RedisKeys.KNOWN_NODES, redis -> redis.del(RedisKeys.lease(node))))
                .thenAccept(deleted -> {});
    }

    @Override
    public CompletionStage<List<NodeStatus>> withLease() {
        return link.read(RedisKeys.KNOWN_NODES, redis -> redis.smembers(RedisKeys.KNOWN_NODES))
                .thenCompose(known -> {
                    List<String> ids = known.stream().sorted().toList();
                    if (ids.isEmpty()) {
                        return CompletableFuture.completedFuture(List.of());
                    }
                    List<String> keys = ids.stream().map(RedisKeys::lease).toList();
                    return link.<List<Object>>read(
                                    RedisKeys.KNOWN_NODES,
                                    redis -> READ_LEASES.run(redis, ScriptOutputType.MULTI, keys, List.of()))
                            .thenApply(said -> withLease(ids, said));
                });
    }

    private static List<NodeStatus> withLease(List<String> ids, List<Object> said) {
        List<NodeStatus> alive = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            long left = RoomScripts.number(said.get(2 * i + 1));
            if (left != NO_KEY) {
                Duration lease = left < 0 ? null : Duration.ofMillis(left);
                alive.add(NodeReport.read(ids.get(i), (String) said.get(2 * i), lease));
            }
        }
        return alive;
    }

    @Override
    public CompletionStage<Set<String>> withoutLease() {
        return link.read(RedisKeys.KNOWN_NODES, redis -> redis.smembers(RedisKeys.KNOWN_NODES))
                .thenCompose(known -> alive(known).thenApply(alive -> {
                    Set<String> gone = new HashSet<>(known);
                    gone.removeAll(alive.orElse(known));
                    return gone;
                }));
    }

    @Override
    public CompletionStage<Optional<Set<String>>> alive(Set<String> nodes) {
        List<String> asked = List.copyOf(nodes);
        List<String> keys = new ArrayList<>();
        keys.add(RedisKeys.lease(self));
        asked.forEach(node -> keys.add(RedisKeys.lease(node)));
        return link.<List<Object>>read(
                        RedisKeys.KNOWN_NODES,
                        redis -> CHECK_LEASES.run(redis, ScriptOutputType.MULTI, keys, List.of()))
                .thenApply(answer -> {
                    if (!answer.get(0).equals(1L)) {
                        return Optional.empty();
                    }
                    Set<String> alive = new HashSet<>();
                    for (int i = 0; i < asked.size(); i++) {
                        if (answer.get(i + 1).equals(1L)) {
                            alive.add(asked.get(i));
                        }
                    }
                    return Optional.of(alive);
                });
    }

    @Override
    public CompletionStage<Map<String, Instant>> recordGone(Set<String> nodes) {
        List<String> keys = new ArrayList<>(List.of(RedisKeys.GONE_NODES));
        List<String> arguments = new ArrayList<>(List.of(Long.toString(GONE_FOR.toMillis())));
        for (String node : nodes) {
            keys.add(RedisKeys.lease(node));
            arguments.add(node);
        }
        return link.<List<Object>>write(
                        RedisKeys.KNOWN_NODES, redis -> RECORD_GONE.run(redis, ScriptOutputType.MULTI, keys, arguments))
                .thenApply(answer -> {
                    Map<String, Instant> gone = new HashMap<>();
                    for (int i = 0; i < answer.size(); i += 2) {
                        long at = RoomScripts.number(answer.get(i + 1));
                        gone.put((String) answer.get(i), Instant.ofEpochMilli(at));
                    }
                    return gone;
                });
    }

    @Override
    public CompletionStage<Void> forget(Set<String> nodes) {
        String[] ids = nodes.toArray(String[]::new);
        String[] locks = nodes.stream().map(RedisKeys::cleanup).toArray(String[]::new);
        return link.write(
                        RedisKeys.KNOWN_NODES,
                        redis -> redis.srem(RedisKeys.KNOWN_NODES, ids)
                                .thenCombine(redis.hdel(RedisKeys.LAST_SIGNS, ids), (known, signs) -> known)
                                .thenCombine(redis.del(locks), (known, deleted) -> known))
                // The records go last: a node that finds a known node without a record scans.
                .thenCompose(removed ->
                        Stages.all(nodes.stream().map(this::forgetRooms).toList()));
    }

    private CompletionStage<Long> forgetRooms(String node) {
        String key = RedisKeys.rooms(node);
        return link.write(key, redis -> redis.unlink(key));
    }

    @Override
    public CompletionStage<List<LastSign>> lastSigns() {
        List<String> keys = List.of(RedisKeys.KNOWN_NODES, RedisKeys.LAST_SIGNS);
        return link.<List<Object>>write(
                        RedisKeys.KNOWN_NODES,
                        redis -> READ_LAST_SIGNS.run(redis, ScriptOutputType.MULTI, keys, List.of()))
                .thenApply(answer -> {
                    Instant now = Instant.ofEpochMilli(RoomScripts.number(answer.get(0)));
                    List<LastSign> signs = new ArrayList<>();
                    for (int i = 1; i < answer.size(); i += 2) {
                        String[] sign = ((String) answer.get(i + 1)).split(" ", 2);
                        if (sign.length == 2 && sign[0].matches("\\d{1,15}")) {
                            Instant at = Instant.ofEpochMilli(Long.parseLong(sign[0]));
                            signs.add(new LastSign((String) answer.get(i), sign[1], at, now));
                        }
                    }
                    return signs;
                });
    }

    @Override
    public CompletionStage<CleanupLock> lockCleanup(String node, @Nullable LastSign certain) {
        List<String> keys = List.of(
                RedisKeys.lease(self),
                RedisKeys.lease(node),
                RedisKeys.LAST_SIGNS,
                RedisKeys.KNOWN_NODES,
                RedisKeys.cleanup(node));
        List<String> arguments = List.of(
                self,
                node,
                Long.toString(LOCKED_FOR.toMillis()),
                certain == null ? "" : Long.toString(certain.at().toEpochMilli()));
        return link.<String>write(
                        RedisKeys.KNOWN_NODES, redis -> LOCK_NODE.run(redis, ScriptOutputType.VALUE, keys, arguments))
                .thenApply(answer -> CleanupLock.valueOf(answer.toUpperCase(Locale.ROOT)));
    }

    @Override
    public CompletionStage<Boolean> lockScan(boolean due) {
        CompletionStage<Boolean> wanted = due
                ? link.read(RedisKeys.KNOWN_NODES, redis -> redis.pttl(RedisKeys.SCAN_DONE))
                        // More time left than was set: Redis' clock went back.
                        .thenApply(left -> left < 0 || left > pace.toMillis())
                : CompletableFuture.completedFuture(true);
        if (due) {
            scanBegun = link.loop().nanos();
        }
        return wanted.thenCompose(yes -> yes ? lock(lock) : CompletableFuture.completedFuture(false));
    }

    private CompletionStage<Boolean> lock(Duration held) {
        List<String> keys = List.of(RedisKeys.SCAN_LOCK);
        List<String> arguments = List.of(self, Long.toString(held.toMillis()), Long.toString(lock.toMillis()));
        return link.<Long>write(
                        RedisKeys.KNOWN_NODES, redis -> LOCK.run(redis, ScriptOutputType.INTEGER, keys, arguments))
                .thenApply(ours -> ours == 1);
    }

    @Override
    public CompletionStage<Void> unlockScan(boolean finished) {
        long rest = pace.minusNanos(link.loop().nanos() - scanBegun).toMillis();
        CompletionStage<?> noted = finished && rest > 0
                ? link.write(
                        RedisKeys.KNOWN_NODES, redis -> redis.set(RedisKeys.SCAN_DONE, self, SetArgs.Builder.px(rest)))
                : CompletableFuture.completedFuture(null);
        return noted.thenCompose(done -> lock(Duration.ZERO)).thenAccept(ours -> {});
    }

    @Override
    public void ask(String node, List<Sighting> sightings) {
        Stages.inSlices(
                sightings,
                SIGHTINGS_AT_ONCE,
                some -> send(RedisKeys.questions(node), Questions.write(some)).thenAccept(told -> {}));
    }

    @Override
    public void listen(Consumer<List<Sighting>> asked) {
        feed.listen(RedisKeys.questions(self), question -> asked.accept(Questions.read(question)));
    }

    @Override
    public CompletionStage<Void> askForClaims(long seed) {
        String question = ASK + self + " " + seed;
        return link.read(RedisKeys.KNOWN_NODES, redis -> redis.smembers(RedisKeys.KNOWN_NODES))
                .thenAccept(known -> known.stream()
                        .filter(node -> !node.equals(self))
                        .forEach(node -> send(RedisKeys.claims(node), question)));
    }

    private CompletionStage<Long> send(String channel, String message) {
        return link.write(RedisKeys.KNOWN_NODES, redis -> redis.spublish(channel, message));
    }

    /** Messages are {@code ask <node> <seed>}, and {@code <node> <hashes>} in Base64 as an answer. */
    @Override
    public void listenForClaims(LongFunction<CompletionStage<long[]>> own, BiConsumer<String, long[]> heard) {
        feed.listen(RedisKeys.claims(self), message -> {
            try {
                String[] words = message.split(" ", -1);
                if (message.startsWith(ASK)) {
                    own.apply(Long.parseLong(words[2])).thenCompose(seats -> tell(words[1], seats, 0));
                } else {
                    heard.accept(words[0], hashes(words[1]));
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
                LOG.warn(
                        "ignored a malformed claim from another node ({})",
                        malformed.getClass().getSimpleName());
            }
        });
    }

    /** In bounded messages, one after the other. */
    private CompletionStage<Void> tell(String node, long[] seats, int from) {
        int to = Math.min(seats.length, from + CLAIMS_AT_ONCE);
        if (from == to) {
            return CompletableFuture.completedFuture(null);
        }
        ByteBuffer bytes = ByteBuffer.allocate((to - from) * Long.BYTES);
        bytes.asLongBuffer().put(seats, from, to - from);
        String claims = self + " " + Base64.getEncoder().encodeToString(bytes.array());
        return send(RedisKeys.claims(node), claims).thenCompose(told -> tell(node, seats, to));
    }

    private static long[] hashes(String encoded) {
        LongBuffer read = ByteBuffer.wrap(Base64.getDecoder().decode(encoded)).asLongBuffer();
        long[] hashes = new long[read.remaining()];
        read.get(hashes);
        return hashes;
    }
}
