package io.hadir.server.http;

import io.hadir.presence.BanStore;
import io.hadir.presence.Bans;
import io.hadir.presence.Presence;
import io.hadir.presence.inspect.Explainer;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Hold;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Notice;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.server.wire.Cursor;
import io.hadir.server.wire.Fields;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /rooms/{roomId}/participants}: who is in a room, and putting somebody out of it. */
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

    private record Look(RoomId room, int limit, Optional<Position> after, boolean scan, boolean details) {}

    private CompletionStage<Answer<Map<String, Object>>> list(ApiCall call) {
        Query query = call.query();
        Answer<Look> request = call.roomId()
                .flatMap(room -> query.limit()
                        .flatMap(limit -> query.cursor(Cursor::read)
                                .flatMap(after -> source(query)
                                        .flatMap(scan -> query.flag("details")
                                                .map(details -> new Look(room, limit, after, scan, details))))));
        return request.take(this::look, listing -> listing);
    }

    private static Answer<Boolean> source(Query query) {
        return query.parsed(
                        "source",
                        "scan, or nothing",
                        text -> text.equals("scan") ? Optional.of(true) : Optional.empty())
                .map(Optional::isPresent);
    }

    private CompletionStage<Answer<Map<String, Object>>> look(Look look) {
        Position after = look.after.orElse(null);
        CompletionStage<Answer<Listing>> listing;
        if (look.scan) {
            listing = explainer.scan(look.room, after, look.limit);
        } else if (look.details) {
            listing = explainer.list(look.room, after, look.limit);
        } else {
            listing = presence.list(look.room, after, look.limit);
        }
        return listing.thenApply(answer -> answer.map(found -> listing(found, look.details)));
    }

    private static Map<String, Object> listing(Listing listing, boolean details) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", listing.room().value());
        Fields.addListing(message, listing);
        if (details) {
            message.put(
                    "participants",
                    listing.page().participants().stream()
                            .map(ParticipantRoutes::detailed)
                            .toList());
        }
        return message;
    }

    private static Map<String, Object> detailed(Participant participant) {
        Hold hold = participant.hold();
        SocketId socket = hold == null ? null : hold.socket();
        Duration left = hold == null ? null : hold.left();
        Map<String, Object> message = Fields.participant(participant);
        message.put("socketId", socket == null ? null : socket.value());
        message.put("nodeId", socket == null || socket.node().isEmpty() ? null : socket.node());
        message.put("ttlMs", left == null ? null : left.toMillis());
        return message;
    }

    private record Kick(Seat seat, Optional<String> message, Optional<Duration> ban) {}

    private CompletionStage<Answer<Map<String, Object>>> kick(ApiCall call) {
        Answer<Kick> request = call.seat()
                .flatMap(seat -> message(call)
                        .flatMap(message -> call.query()
                                .seconds("banSeconds", BanStore.LONGEST)
                                .map(ban -> new Kick(seat, message, ban))));
        return request.take(
                kick -> call.logged(
                        "Kicked user " + kick.seat.user() + " from room " + kick.seat.room()
                                + kick.ban
                                        .map(ban -> " and banned them for " + ban.toSeconds() + " s")
                                        .orElse(""),
                        kick(kick)),
                answer -> answer);
    }

    private CompletionStage<Answer<Map<String, Object>>> kick(Kick kick) {
        String message = kick.message.orElse(null);
        if (kick.ban.isPresent()) {
            return bans.ban(kick.seat, kick.ban.get(), message).thenApply(answer -> answer.map(BanRoutes::fields));
        }
        return presence.kick(kick.seat.room(), kick.seat.user(), message)
                .thenApply(answer -> answer.map(ParticipantRoutes::seat));
    }

    private static Answer<Optional<String>> message(ApiCall call) {
        return call.query()
                .parsed(
                        "message",
                        Notice.EXPECTED,
                        text -> Notice.isValid(text) ? Optional.of(text) : Optional.empty());
    }

    static Map<String, Object> seat(Seat seat) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", seat.room().value());
        message.put("userId", seat.user().value());
        return message;
    }
}
