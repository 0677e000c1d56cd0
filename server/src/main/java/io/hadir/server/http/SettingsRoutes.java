package io.hadir.server.http;

import io.hadir.presence.Rooms;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.server.wire.Payload;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** {@code /rooms/{roomId}/settings}: what holds in one room and not in others. Null is what holds everywhere. */
public final class SettingsRoutes {
    private static final String PATH = "/rooms/{roomId}/settings";

    private final Rooms rooms;

    private SettingsRoutes(Rooms rooms) {
        this.rooms = rooms;
    }

    public static void add(Api api, Rooms rooms) {
        SettingsRoutes routes = new SettingsRoutes(rooms);
        api.get(PATH, routes::show).put(PATH, routes::replace).delete(PATH, routes::clear);
    }

    private CompletionStage<Answer<Map<String, Object>>> show(ApiCall call) {
        return call.roomId().take(rooms::settings, SettingsRoutes::fields);
    }

    private record Replace(RoomId room, RoomSettings settings) {}

    private CompletionStage<Answer<Map<String, Object>>> replace(ApiCall call) {
        Answer<Replace> request = call.roomId()
                .flatMap(room ->
                        call.body().flatMap(Payload::roomSettings).map(settings -> new Replace(room, settings)));
        return request.take(replace -> configure(call, replace.room, replace.settings), SettingsRoutes::fields);
    }

    private CompletionStage<Answer<Map<String, Object>>> clear(ApiCall call) {
        return call.roomId().take(room -> configure(call, room, RoomSettings.NONE), SettingsRoutes::fields);
    }

    private CompletionStage<Answer<RoomSettings>> configure(ApiCall call, RoomId room, RoomSettings settings) {
        return call.logged("Changed the settings of room " + room, rooms.configure(room, settings));
    }

    static Map<String, Object> fields(RoomSettings settings) {
        Duration ttl = settings.ttl();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("ttlSeconds", ttl == null ? null : ttl.toSeconds());
        message.put("inactivityMessage", settings.inactivityMessage());
        message.put("maxParticipants", settings.maxParticipants());
        return message;
    }
}
