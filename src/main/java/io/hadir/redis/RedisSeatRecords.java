package io.hadir.redis;

import io.hadir.presence.LeaveReason;
import io.hadir.presence.Participant;
import io.hadir.presence.PresenceSettings;
import io.hadir.presence.Seat;
import io.hadir.presence.SeatRecord;
import io.hadir.presence.SeatRecord.LivePresence;
import io.hadir.presence.SeatRecords;
import io.hadir.presence.SocketId;
import io.hadir.presence.Transition;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads everything about one seat in one step. */
public final class RedisSeatRecords implements SeatRecords {
    private static final Script EXPLAIN = Script.ofRoom("explain");
    private static final int ENTRY = 6;
    private static final int FIRST_LINE = 10;
    private static final int PARTS = 5;
    private static final String NONE = "-";

    private final RedisKeys keys;
    private final RoomScripts scripts;

    public RedisSeatRecords(RedisLink link, String self, PresenceSettings settings) {
        keys = new RedisKeys(link.isCluster());
        scripts = new RoomScripts(link, keys, settings.ttl(), self);
    }

    @Override
    public CompletionStage<SeatRecord> read(Seat seat) {
        return scripts.read(EXPLAIN, seat.room(), List.of(seat.user().value()))
                .thenApply(answer -> new SeatRecord(
                        seat,
                        keys.presence(seat),
                        Instant.ofEpochMilli(RedisPresenceStore.number(answer.get(1))),
                        presence(answer),
                        answer.get(4).equals("1"),
                        history(answer.subList(FIRST_LINE, answer.size()))));
    }

    private static @Nullable LivePresence presence(List<Object> answer) {
        if (!answer.get(5).equals("1")) {
            return null;
        }
        Participant participant = RoomReader.participant(answer, ENTRY);
        SocketId named = new SocketId((String) answer.get(3));
        Details details = Details.parse((String) answer.get(ENTRY + 3));
        long left = RedisPresenceStore.number(answer.get(ENTRY + 2));
        long now = RedisPresenceStore.number(answer.get(1));
        return new LivePresence(
                participant,
                named,
                details == null ? Set.of(named) : details.sockets(),
                left < 0 ? null : Instant.ofEpochMilli(now + left));
    }

    /** A join that was noted anew, because the details were lost meanwhile, is one join. */
    private static List<Transition> history(List<Object> lines) {
        Set<Instant> joins = new HashSet<>();
        return lines.stream()
                .map(line -> transition((String) line))
                .flatMap(Optional::stream)
                .filter(change -> change.kind() != Transition.Kind.JOINED || joins.add(change.at()))
                .sorted(Comparator.comparing(Transition::at))
                .toList();
    }

    /** What {@code prelude.lua} notes; empty for what another program, or a later version, has put there. */
    static Optional<Transition> transition(String line) {
        String[] parts = line.split(" ", PARTS);
        Transition.Kind kind =
                parts.length < PARTS ? null : Transition.Kind.fromWire(parts[1]).orElse(null);
        if (kind == null || !parts[0].matches("[0-9]{1,15}")) {
            return Optional.empty();
        }
        SocketId socket = parts[4].isEmpty() ? null : new SocketId(parts[4]);
        String node = parts[3].equals(NONE) ? (socket == null ? "" : socket.node()) : parts[3];
        return Optional.of(new Transition(
                Instant.ofEpochMilli(Long.parseLong(parts[0])),
                kind,
                socket,
                node,
                LeaveReason.fromWire(parts[2]).orElse(null)));
    }
}
