package io.hadir.server.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.Presence.Beat;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.server.wire.ErrorJson;
import io.hadir.socketio.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The exact JSON of the messages: fields, their order, and which are absent. */
class PresenceMessagesTest {
    private static final RoomId ROOM = new RoomId("r1");
    private static final UserId ANA = new UserId("ana");
    private static final Participant PARTICIPANT =
            new Participant(ANA, "Ana", Instant.ofEpochMilli(1000), Instant.ofEpochMilli(2000));
    private static final String PARTICIPANT_JSON =
            "{\"userId\":\"ana\",\"username\":\"Ana\",\"joinedAt\":1000,\"lastActiveAt\":2000,\"state\":\"active\"}";
    private static final PresenceSettings SETTINGS = new PresenceSettings(
            Duration.ofSeconds(90),
            Duration.ofSeconds(30),
            Duration.ofSeconds(15),
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            100,
            10);

    @Test
    void aJoinAnswerHasTheListAndTheTimesAndSaysRestoredOnlyThen() {
        Listing listing = new Listing(ROOM, new Page(List.of(PARTICIPANT), null, 7), 1);
        JoinedRoom joined = new JoinedRoom(new Seat(ROOM, ANA), new SocketId("s1"), listing, Duration.ofSeconds(90));
        String fields = "{\"ok\":true,\"roomId\":\"r1\",\"userId\":\"ana\",\"socketId\":\"s1\",\"viewerCount\":1,"
                + "\"participants\":[" + PARTICIPANT_JSON + "],\"nextCursor\":null,\"revision\":7,\"ttlSeconds\":90,"
                + "\"heartbeatSeconds\":30,\"graceSeconds\":15";

        assertThat(json(PresenceMessages.Joined.of(joined, SETTINGS, false))).isEqualTo(fields + "}");
        assertThat(json(PresenceMessages.Joined.of(joined, SETTINGS, true))).isEqualTo(fields + ",\"restored\":true}");
        assertThat(json(PresenceMessages.ListAnswer.of(listing)))
                .isEqualTo("{\"ok\":true,\"roomId\":\"r1\",\"viewerCount\":1,\"participants\":[" + PARTICIPANT_JSON
                        + "],\"nextCursor\":null,\"revision\":7}");
    }

    @Test
    void aHeartbeatAnswerHasItsTimes() {
        Beat beat = new Beat(ROOM, Instant.ofEpochMilli(3000), Instant.ofEpochMilli(2000), Duration.ofSeconds(90));

        assertThat(json(PresenceMessages.HeartbeatAnswer.of(beat, SETTINGS)))
                .isEqualTo("{\"ok\":true,\"roomId\":\"r1\",\"expiresAt\":3000,\"serverTime\":2000,"
                        + "\"heartbeatSeconds\":30}");
    }

    @Test
    void newsSayTruncatedOnlyIfTheyAre() {
        List<RoomChange.Left> left = List.of(new RoomChange.Left(9, new UserId("bob"), RemovalReason.KICKED, null));
        String fields = "{\"roomId\":\"r1\",\"fromRevision\":7,\"revision\":9,\"joined\":[" + PARTICIPANT_JSON
                + "],\"left\":[{\"userId\":\"bob\",\"reason\":\"kicked\"}],\"updated\":[],\"viewerCount\":1";

        assertThat(json(PresenceMessages.RoomPresence.of(
                        new RoomNews(ROOM, 7, 9, List.of(PARTICIPANT), left, List.of(), 1, false))))
                .isEqualTo(fields + "}");
        assertThat(json(PresenceMessages.RoomPresence.of(
                        new RoomNews(ROOM, 7, 9, List.of(PARTICIPANT), left, List.of(), 1, true))))
                .isEqualTo(fields + ",\"truncated\":true}");
    }

    @Test
    void aNotificationCarriesTheDataAsItWasSent() {
        assertThat(json(PresenceMessages.Notification.of(
                        new SocketMessage.Notification(ROOM, ANA, 2, "{\"text\":\"hi\"}"))))
                .isEqualTo("{\"roomId\":\"r1\",\"senderId\":\"ana\",\"unread\":2,\"data\":{\"text\":\"hi\"}}");
        assertThat(json(PresenceMessages.Notification.of(new SocketMessage.Notification(ROOM, ANA, 2, null))))
                .isEqualTo("{\"roomId\":\"r1\",\"senderId\":\"ana\",\"unread\":2}");
    }

    @Test
    void anErrorHasOnlyTheFieldsThatApply() {
        assertThat(json(ErrorJson.of(PresenceError.of(ErrorCode.INTERNAL, "why"))))
                .isEqualTo("{\"code\":\"internal\",\"message\":\"why\"}");
        PresenceError full =
                new PresenceError(ErrorCode.BANNED, "why", "userId", Duration.ofSeconds(2), Instant.ofEpochMilli(5000));
        assertThat(json(ErrorJson.of(full, "join_room")))
                .isEqualTo("{\"code\":\"banned\",\"message\":\"why\",\"field\":\"userId\",\"retryAfterMs\":2000,"
                        + "\"until\":5000,\"event\":\"join_room\"}");
    }

    private static String json(Object message) {
        return Json.MAPPER.writeValueAsString(message);
    }
}
