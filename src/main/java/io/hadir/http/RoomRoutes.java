package io.hadir.http;

import io.hadir.presence.Answer;
import io.hadir.presence.OccupiedRoom;
import io.hadir.presence.RoomId;
import io.hadir.presence.RoomView;
import io.hadir.presence.Rooms;
import io.hadir.presence.RoomsPage;
import io.hadir.wire.Cursor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /rooms}: the rooms in which somebody is. {@code /rooms/{roomId}}: one room, also an empty one. */
public final class RoomRoutes {
    private final Rooms rooms;

    private RoomRoutes(Rooms rooms) {
        this.rooms = rooms;
    }

    public static void add(Api api, Rooms rooms) {
        RoomRoutes routes = new RoomRoutes(rooms);
        api.get("/rooms", routes::list).get("/rooms/{roomId}", routes::look);
    }

    private record Look(int limit, Optional<RoomId> after) {}

    private CompletionStage<Answer<Map<String, Object>>> list(ApiCall call) {
        Answer<Look> request = call.query()
                .limit()
                .flatMap(limit -> call.query().cursor(Cursor::readRoom).map(after -> new Look(limit, after)));
        return request.take(look -> rooms.occupied(look.after.orElse(null), look.limit), RoomRoutes::page);
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
