package io.hadir.redis.inspect;

import io.hadir.presence.inspect.SeatRecord;
import io.hadir.presence.inspect.SeatRecord.LivePresence;
import io.hadir.presence.inspect.SeatRecords;
import io.hadir.presence.inspect.Transition;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.Script;
import io.hadir.redis.store.Details;
import io.hadir.redis.store.RoomList;
import io.hadir.redis.store.RoomScripts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads everything about one seat with one script. */
public final class RedisSeatRecords implements SeatRecords {
    private static final Script EXPLAIN = Script.ofRoom("explain");
    private static final int ENTRY = 6;
    private static final int HISTORY = 10;
    private static final int MOST_TRANSITIONS = 20;
    private static final Pattern LINE = Pattern.compile("([0-9]{1,15}) ([a-z_]+) ([^ ]+)(?: (.+))?");

    private final RedisKeys keys;
    private final RoomScripts scripts;

    public RedisSeatRecords(RoomScripts scripts) {
        this.keys = scripts.keys();
        this.scripts = scripts;
    }

    @Override
    public CompletionStage<SeatRecord> read(Seat seat) {
        return scripts.read(EXPLAIN, seat.room(), List.of(seat.user().encoded()))
                .thenApply(answer -> new SeatRecord(
                        seat,
                        keys.presence(seat),
                        Instant.ofEpochMilli(RoomScripts.number(answer.get(1))),
                        presence(seat.user(), answer),
                        Instant.ofEpochMilli(RoomScripts.number(answer.get(ENTRY + 1))),
                        answer.get(4).equals("1"),
                        !answer.get(ENTRY + 3).equals(""),
                        history((String) answer.get(HISTORY), (String) answer.get(HISTORY + 1))));
    }

    private static @Nullable LivePresence presence(UserId user, List<Object> answer) {
        if (!answer.get(5).equals("1")) {
            return null;
        }
        Participant participant = RoomList.participant(user, answer, ENTRY, false);
        SocketId named = new SocketId((String) answer.get(3));
        Details details = Details.parse((String) answer.get(ENTRY + 3));
        long ends = RoomScripts.number(answer.get(ENTRY + 2));
        return new LivePresence(
                participant,
                named,
                details == null ? Set.of(named) : details.sockets(),
                details != null && details.held() && details.sockets().isEmpty(),
                ends < 0 ? null : Instant.ofEpochMilli(ends));
    }

    private static List<Transition> history(String recorded, String joined) {
        List<Transition> changes = new ArrayList<>();
        Instant joinedAt = null;
        SocketId holder = null;
        for (String line : (recorded + "\n" + joined).split("\n", -1)) {
            Transition change = transition(line, holder);
            boolean isJoin = change != null && change.kind() == Transition.Kind.JOINED;
            // A join is recorded twice if its details were lost in between.
            if (change != null && !(isJoin && change.at().equals(joinedAt))) {
                changes.add(change);
                holder = change.socket();
                if (isJoin || change.kind() == Transition.Kind.LEFT) {
                    joinedAt = isJoin ? change.at() : null;
                }
            }
        }
        changes.sort(Comparator.comparing(Transition::at));
        return List.copyOf(changes.subList(Math.max(0, changes.size() - MOST_TRANSITIONS), changes.size()));
    }

    /** A line that {@code room-prelude.lua} recorded; null for one of another program or a later version. */
    private static @Nullable Transition transition(String line, @Nullable SocketId holder) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
            return null;
        }
        RemovalReason reason = RemovalReason.fromWire(parts.group(2)).orElse(null);
        Transition.Kind kind = reason != null
                ? Transition.Kind.LEFT
                : Transition.Kind.fromWire(parts.group(2)).orElse(null);
        SocketId socket = parts.group(4) == null ? holder : new SocketId(parts.group(4));
        String by = parts.group(3);
        return kind == null
                ? null
                : new Transition(
                        Instant.ofEpochMilli(Long.parseLong(parts.group(1))),
                        kind,
                        socket,
                        by.equals("-") && socket != null ? socket.node() : by,
                        reason);
    }
}
