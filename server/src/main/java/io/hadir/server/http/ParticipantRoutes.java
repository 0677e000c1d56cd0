package io.hadir.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import io.hadir.presence.BanStore;
import io.hadir.presence.Bans;
import io.hadir.presence.Presence;
import io.hadir.presence.inspect.Explainer;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Listing.PageStart;
import io.hadir.presence.room.Notice;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Participant.Evidence;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.server.wire.Cursor;
import io.hadir.server.wire.ParticipantsJson;
import io.hadir.server.wire.RefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /rooms/{roomId}/participants}: the participants of a room, and kicking one of them. */
public final class ParticipantRoutes {
    private static final String PATH = "/rooms/{roomId}/participants";

    private final Presence presence;
    private final Explainer explainer;
    private final Bans bans;

    private ParticipantRoutes(Presence presence, Explainer explainer, Bans bans) {
        this.presence = presence;
        this.explainer = explainer;
        this.bans = bans;
    }

    public static void add(Api api, Presence presence, Explainer explainer, Bans bans) {
        ParticipantRoutes routes = new ParticipantRoutes(presence, explainer, bans);
        api.get(PATH, routes::list).delete(PATH + "/{userId}", routes::kick);
    }

    /** @param participants a {@link ParticipantsJson}, or a list of {@link Detailed} */
    private record ListAnswer(
            String roomId,
            long viewerCount,
            Object participants,
            @Nullable String nextCursor,
            long revision) {
        static ListAnswer of(Listing listing, boolean details) {
            List<Participant> participants = listing.page().participants();
            return new ListAnswer(
                    listing.room().value(),
                    listing.viewerCount(),
                    details ? participants.stream().map(Detailed::of).toList() : ParticipantsJson.of(participants),
                    Cursor.write(listing.next()),
                    listing.page().revision());
        }
    }

    private record Detailed(
            String userId,
            String username,
            long joinedAt,
            long lastActiveAt,
            String state,

            @JsonRawValue @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String data,

            @Nullable String socketId,
            @Nullable String nodeId,
            @Nullable Long ttlMs,
            boolean inGrace,
            boolean held) {
        static Detailed of(Participant participant) {
            Evidence evidence = participant.evidence();
            SocketId socket = evidence == null ? null : evidence.socket();
            Duration remaining = evidence == null ? null : evidence.remaining();
            return new Detailed(
                    participant.user().value(),
                    participant.username(),
                    participant.joinedAt().toEpochMilli(),
                    participant.lastActiveAt().toEpochMilli(),
                    participant.state().wire(),
                    participant.data(),
                    socket == null ? null : socket.value(),
                    socket == null || socket.node().isEmpty() ? null : socket.node(),
                    remaining == null ? null : (Long) remaining.toMillis(),
                    evidence != null && evidence.inGrace(),
                    evidence != null && evidence.held());
        }
    }

    private CompletionStage<Answer<ListAnswer>> list(ApiCall call) throws RefusedException {
        Query query = call.query();
        RoomId room = call.roomId();
        int limit = query.limit();
        PageStart start = query.cursor(Cursor::readPage);
        Position after = start == null ? null : start.after();
        boolean scan = query.read(
                        "source", "scan, or absent", text -> Optional.of(text).filter("scan"::equals))
                != null;
        boolean details = query.flag("details");
        CompletionStage<Answer<Listing>> listing;
        if (scan) {
            listing = explainer.scan(room, after, limit);
        } else if (details) {
            listing = explainer.list(room, after, limit);
        } else {
            listing = presence.list(room, start, limit);
        }
        return listing.thenApply(answer -> answer.map(found -> ListAnswer.of(found, details)));
    }

    private CompletionStage<? extends Answer<?>> kick(ApiCall call) throws RefusedException {
        Seat seat = call.seat();
        String message = call.query()
                .read("message", Notice.EXPECTED, text -> Optional.of(text).filter(Notice::isValid));
        Duration ban = call.query().seconds("banSeconds", BanStore.LONGEST);
        String change = "Kicked user " + seat.user() + " from room " + seat.room();
        if (ban != null) {
            return call.logged(change + " and banned them for " + ban.toSeconds() + " s", bans.ban(seat, ban, message))
                    .thenApply(answer -> answer.map(BanRoutes.BanJson::of));
        }
        return call.logged(change, presence.kick(seat.room(), seat.user(), message))
                .thenApply(answer -> answer.map(SeatJson::of));
    }

    record SeatJson(String roomId, String userId) {
        static SeatJson of(Seat seat) {
            return new SeatJson(seat.room().value(), seat.user().value());
        }
    }
}
