package io.hadir.server.http;

import io.hadir.presence.BanStore;
import io.hadir.presence.Bans;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Ban;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.server.wire.Cursor;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /rooms/{roomId}/bans}: who may not join a room, and until when. */
public final class BanRoutes {
    private static final String PATH = "/rooms/{roomId}/bans";
    private static final String USER = PATH + "/{userId}";

    private final Bans bans;

    private BanRoutes(Bans bans) {
        this.bans = bans;
    }

    public static void add(Api api, Bans bans) {
        BanRoutes routes = new BanRoutes(bans);
        api.get(PATH, routes::list).put(USER, routes::ban).delete(USER, routes::unban);
    }

    private record Look(RoomId room, int limit, Optional<Position> after) {}

    private CompletionStage<Answer<Map<String, Object>>> list(ApiCall call) {
        Query query = call.query();
        Answer<Look> request = call.roomId()
                .flatMap(room -> query.limit()
                        .flatMap(limit -> query.cursor(Cursor::read).map(after -> new Look(room, limit, after))));
        return request.take(
                look -> bans.list(look.room, look.after.orElse(null), look.limit)
                        .thenApply(answer -> answer.map(page -> page(look.room, page))),
                page -> page);
    }

    private static Map<String, Object> page(RoomId room, BanStore.BanPage page) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", room.value());
        message.put("bans", page.bans().stream().map(BanRoutes::entry).toList());
        message.put("nextCursor", Cursor.write(page.next()));
        return message;
    }

    private record Request(Seat seat, Instant until, Optional<String> message) {}

    private CompletionStage<Answer<Map<String, Object>>> ban(ApiCall call) {
        Answer<Request> request = call.seat()
                .flatMap(seat -> call.body()
                        .flatMap(body -> body.time("until")
                                .flatMap(until ->
                                        body.notice("message").map(message -> new Request(seat, until, message)))));
        return request.take(
                asked -> call.logged(
                        "Banned user " + asked.seat.user() + " from room " + asked.seat.room() + " until "
                                + asked.until,
                        bans.ban(asked.seat, asked.until, asked.message.orElse(null))),
                BanRoutes::fields);
    }

    private CompletionStage<Answer<Map<String, Object>>> unban(ApiCall call) {
        return call.seat()
                .take(
                        seat -> call.logged(
                                "Unbanned user " + seat.user() + " from room " + seat.room(), bans.unban(seat)),
                        ParticipantRoutes::seat);
    }

    static Map<String, Object> fields(Ban ban) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", ban.seat().room().value());
        message.putAll(entry(ban));
        return message;
    }

    private static Map<String, Object> entry(Ban ban) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("userId", ban.seat().user().value());
        message.put("until", ban.until().toEpochMilli());
        message.put("message", ban.message());
        return message;
    }
}
