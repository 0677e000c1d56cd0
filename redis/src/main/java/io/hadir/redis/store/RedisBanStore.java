package io.hadir.redis.store;

import static io.hadir.redis.store.RoomScripts.number;

import io.hadir.presence.BanStore;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Ban;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import io.hadir.redis.link.Script;
import io.hadir.redis.stats.RemovalStatistics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Bans in Redis: each is a key with a TTL in its room's slot, and a list per room ends with its last ban. */
public final class RedisBanStore implements BanStore {
    private static final Script REMOVE_USER = Script.ofRoom("remove-user");
    private static final Script UNBAN = Script.ofRoom("unban");
    private static final Script LIST_BANS = Script.ofRoom("list-bans");
    private static final int MOST_BANS = 10_000;
    private static final int FIRST = 3;
    private static final int FIELDS = 3;

    private final RoomScripts scripts;
    private final RemovalStatistics statistics;

    public RedisBanStore(RoomScripts scripts, RemovalStatistics statistics) {
        this.scripts = scripts;
        this.statistics = statistics;
    }

    @Override
    public CompletionStage<Answer<Placed>> ban(Seat seat, Instant until, @Nullable String message) {
        return ban(seat, Long.toString(until.toEpochMilli()), message);
    }

    @Override
    public CompletionStage<Answer<Placed>> ban(Seat seat, Duration length, @Nullable String message) {
        return ban(seat, "+" + length.toMillis(), message);
    }

    private CompletionStage<Answer<Placed>> ban(Seat seat, String until, @Nullable String message) {
        List<String> own = List.of(
                seat.user().encoded(),
                RemovalReason.KICKED.wire(),
                message == null ? "" : message,
                "",
                "",
                "",
                until,
                Long.toString(LONGEST.toMillis()),
                Integer.toString(MOST_BANS));
        return scripts.write(REMOVE_USER, seat.room(), own).thenApply(answer -> {
            if (answer.get(0).equals("invalid")) {
                return Answer.refused(PresenceError.invalid("until", "epoch milliseconds within the next 30 days"));
            }
            if (answer.get(0).equals("limit")) {
                return Answer.refused(PresenceError.of(
                        ErrorCode.LIMIT_EXCEEDED, "the room has " + MOST_BANS + " bans, which is as many as it may"));
            }
            statistics.count(seat, (String) answer.get(2));
            boolean removed = number(answer.get(0)) == 1;
            return Answer.ok(new Placed(read(seat, answer.get(1), message == null ? "" : message), removed));
        });
    }

    @Override
    public CompletionStage<Boolean> unban(Seat seat) {
        return scripts.writeForNumber(UNBAN, seat.room(), List.of(seat.user().encoded()))
                .thenApply(ended -> ended == 1);
    }

    @Override
    public CompletionStage<BanPage> list(RoomId room, @Nullable Position after, int limit) {
        List<String> own = List.of(
                after == null ? "" : Long.toString(after.joinedAt().toEpochMilli()),
                after == null ? "" : after.user().encoded(),
                Integer.toString(limit));
        return scripts.read(LIST_BANS, room, own).thenApply(answer -> {
            List<Ban> bans = new ArrayList<>();
            for (int i = FIRST; i < answer.size(); i += FIELDS) {
                Object ends = answer.get(i + 1);
                String message = (String) answer.get(i + 2);
                UserId.decode((String) answer.get(i))
                        .ifPresent(user -> bans.add(read(new Seat(room, user), ends, message)));
            }
            boolean end = answer.get(0).equals("1");
            Instant at = end ? Instant.EPOCH : Instant.ofEpochMilli(number(answer.get(1)));
            Optional<UserId> last = end ? Optional.empty() : UserId.decode((String) answer.get(2));
            return new BanPage(bans, last.map(user -> new Position(at, user)).orElse(null));
        });
    }

    /** A ban from the answer of a script. */
    static Ban read(Seat seat, Object ends, String message) {
        return new Ban(seat, Instant.ofEpochMilli(number(ends)), message.isEmpty() ? null : message);
    }
}
