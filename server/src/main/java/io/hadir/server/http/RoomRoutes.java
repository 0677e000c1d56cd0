package io.hadir.server.http;

import io.hadir.presence.Rooms;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.OccupiedRoom;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomView;
import io.hadir.presence.room.RoomsPage;
import io.hadir.server.wire.Cursor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /rooms}: the rooms in which somebody is. {@code /rooms/{roomId}}: one room, also an empty one. */
public final class RoomRoutes {
    /** No id is longer. */
    private static final int LONGEST_SEARCH = 128;

    private final Rooms rooms;

    private RoomRoutes(Rooms rooms) {
        this.rooms = rooms;
    }

    public static void add(Api api, Rooms rooms) {
        RoomRoutes routes = new RoomRoutes(rooms);
        api.get("/rooms", routes::list).get("/rooms/{roomId}", routes::look);
    }

    private record Look(int limit, Optional<RoomId> after, Optional<String> search) {}

    private CompletionStage<Answer<Map<String, Object>>> list(ApiCall call) {
        Query query = call.query();
        Answer<Look> request = query.limit()
                .flatMap(limit -> query.cursor(Cursor::readRoom)
                        .flatMap(after -> search(query).map(search -> new Look(limit, after, search))));
        return request.take(
                look -> rooms.occupied(look.search.orElse(null), look.after.orElse(null), look.limit),
                RoomRoutes::page);
    }

    private static Answer<Optional<String>> search(Query query) {
        return query.parsed(
                "search",
                "1 to " + LONGEST_SEARCH + " characters",
                text -> Optional.of(text)
                        .filter(given ->
                                !given.isEmpty() && given.codePointCount(0, given.length()) <= LONGEST_SEARCH));
    }

    private static Map<String, Object> page(RoomsPage page) {
        List<Map<String, Object>> found =
                page.rooms().stream().map(RoomRoutes::occupied).toList();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("rooms", found);
        message.put("nextCursor", Cursor.write(page.next()));
        return message;
    }

    private static Map<String, Object> occupied(OccupiedRoom room) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", room.room().value());
        message.put("viewerCount", room.viewerCount());
        return message;
    }

    private CompletionStage<Answer<Map<String, Object>>> look(ApiCall call) {
        return call.roomId().take(rooms::look, RoomRoutes::view);
    }

    private static Map<String, Object> view(RoomView view) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", view.room().value());
        message.put("viewerCount", view.viewerCount());
        message.put("revision", view.revision());
        message.put("ttlSeconds", view.ttl().toSeconds());
        message.put("settings", SettingsRoutes.fields(view.settings()));
        return message;
    }
}
