package io.hadir.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.hadir.presence.BanStore;
import io.hadir.presence.Bans;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Ban;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.server.http.ParticipantRoutes.SeatJson;
import io.hadir.server.wire.Cursor;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /rooms/{roomId}/bans}: the users who may not join a room, and until when. */
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

    /** @param roomId absent in the list of a room's bans */
    record BanJson(
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String roomId,

            String userId,
            long until,
            @Nullable String message) {
        static BanJson of(Ban ban) {
            return of(ban, ban.seat().room().value());
        }

        static BanJson inList(Ban ban) {
            return of(ban, null);
        }

        private static BanJson of(Ban ban, @Nullable String roomId) {
            return new BanJson(roomId, ban.seat().user().value(), ban.until().toEpochMilli(), ban.message());
        }
    }

    private record Page(
            String roomId, List<BanJson> bans, @Nullable String nextCursor) {
        static Page of(RoomId room, BanStore.BanPage page) {
            return new Page(
                    room.value(), page.bans().stream().map(BanJson::inList).toList(), Cursor.write(page.next()));
        }
    }

    private CompletionStage<Answer<Page>> list(ApiCall call) throws RefusedException {
        RoomId room = call.roomId();
        int limit = call.query().limit();
        Position after = call.query().cursor(Cursor::read);
        return bans.list(room, after, limit).thenApply(answer -> answer.map(page -> Page.of(room, page)));
    }

    private CompletionStage<Answer<BanJson>> ban(ApiCall call) throws RefusedException {
        Seat seat = call.seat();
        Payload body = call.body();
        Instant until = body.time("until");
        String message = body.notice("message");
        return call.logged(
                        "Banned user " + seat.user() + " from room " + seat.room() + " until " + until,
                        bans.ban(seat, until, message))
                .thenApply(answer -> answer.map(BanJson::of));
    }

    private CompletionStage<Answer<SeatJson>> unban(ApiCall call) throws RefusedException {
        Seat seat = call.seat();
        return call.logged("Unbanned user " + seat.user() + " from room " + seat.room(), bans.unban(seat))
                .thenApply(answer -> answer.map(SeatJson::of));
    }
}
