package io.hadir.server.http;

import io.hadir.presence.Rooms;
import io.hadir.presence.Rooms.RoomView;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.RoomsPage;
import io.hadir.presence.room.RoomsPage.OccupiedRoom;
import io.hadir.server.wire.Cursor;
import io.hadir.server.wire.RefusedException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code /rooms}: the occupied rooms. {@code /rooms/{roomId}}: one room, occupied or not. {@code
 * /rooms/{roomId}/settings}: its own settings.
 */
public final class RoomRoutes {
    private static final String ROOM = "/rooms/{roomId}";
    private static final String SETTINGS = ROOM + "/settings";

    /** The length of the longest room id. */
    private static final int LONGEST_SEARCH = 128;

    private final Rooms rooms;

    private static final int MOST_ROOMS = 1000;

    private RoomRoutes(Rooms rooms) {
        this.rooms = rooms;
    }

    public static void add(Api api, Rooms rooms) {
        RoomRoutes routes = new RoomRoutes(rooms);
        api.get("/rooms", routes::list)
                .ask("/rooms/counts", routes::count)
                .get(ROOM, routes::show)
                .get(SETTINGS, routes::settings)
                .put(SETTINGS, routes::replaceSettings)
                .delete(SETTINGS, routes::clearSettings);
    }

    private record Counts(Map<String, Long> counts) {
        static Counts of(Map<RoomId, Long> counts) {
            Map<String, Long> byRoom = new LinkedHashMap<>();
            counts.forEach((room, count) -> byRoom.put(room.value(), count));
            return new Counts(byRoom);
        }
    }

    private CompletionStage<Answer<Counts>> count(ApiCall call) throws RefusedException {
        List<RoomId> asked = call.body().roomIds(MOST_ROOMS);
        return rooms.count(asked).thenApply(answer -> answer.map(Counts::of));
    }

    private record Entry(String roomId, @Nullable Long viewerCount) {
        static Entry of(OccupiedRoom room) {
            return new Entry(room.room().value(), room.viewerCount());
        }
    }

    private record Page(List<Entry> rooms, @Nullable String nextCursor) {
        static Page of(RoomsPage page) {
            return new Page(page.rooms().stream().map(Entry::of).toList(), Cursor.write(page.next()));
        }
    }

    private CompletionStage<Answer<Page>> list(ApiCall call) throws RefusedException {
        int limit = call.query().limit();
        RoomId after = call.query().cursor(Cursor::readRoom);
        String search = call.query()
                .read(
                        "search",
                        "1 to " + LONGEST_SEARCH + " characters",
                        text -> Optional.of(text).filter(RoomRoutes::isSearch));
        String sort = call.query()
                .read("sort", "size, or absent", text -> Optional.of(text).filter("size"::equals));
        if (sort != null) {
            if (after != null) {
                throw new RefusedException(PresenceError.invalid("cursor", "none with sort"));
            }
            return rooms.largest(search, limit).thenApply(answer -> answer.map(Page::of));
        }
        return rooms.occupied(search, after, limit).thenApply(answer -> answer.map(Page::of));
    }

    private static boolean isSearch(String text) {
        return !text.isEmpty() && text.codePointCount(0, text.length()) <= LONGEST_SEARCH;
    }

    private record Room(
            String roomId, long viewerCount, @Nullable Long revision, long ttlSeconds, Settings settings) {
        static Room of(RoomView view) {
            return new Room(
                    view.room().value(),
                    view.viewerCount(),
                    view.revision(),
                    view.ttl().toSeconds(),
                    Settings.of(view.settings()));
        }
    }

    private CompletionStage<Answer<Room>> show(ApiCall call) throws RefusedException {
        return rooms.read(call.roomId()).thenApply(answer -> answer.map(Room::of));
    }

    /** A setting that is null is the server's. */
    private record Settings(
            @Nullable Long ttlSeconds,
            @Nullable Long awaySeconds,
            @Nullable String inactivityMessage,
            @Nullable Integer maxParticipants) {
        static Settings of(RoomSettings settings) {
            Duration ttl = settings.ttl();
            Duration away = settings.away();
            return new Settings(
                    ttl == null ? null : (Long) ttl.toSeconds(),
                    away == null ? null : (Long) away.toSeconds(),
                    settings.inactivityMessage(),
                    settings.maxParticipants());
        }
    }

    private CompletionStage<Answer<Settings>> settings(ApiCall call) throws RefusedException {
        return rooms.settings(call.roomId()).thenApply(answer -> answer.map(Settings::of));
    }

    private CompletionStage<Answer<Settings>> replaceSettings(ApiCall call) throws RefusedException {
        RoomId room = call.roomId();
        RoomSettings settings = call.body().roomSettings();
        return configure(call, room, settings);
    }

    private CompletionStage<Answer<Settings>> clearSettings(ApiCall call) throws RefusedException {
        return configure(call, call.roomId(), RoomSettings.NONE);
    }

    private CompletionStage<Answer<Settings>> configure(ApiCall call, RoomId room, RoomSettings settings) {
        return call.logged("Changed the settings of room " + room, rooms.configure(room, settings))
                .thenApply(answer -> answer.map(Settings::of));
    }
}
