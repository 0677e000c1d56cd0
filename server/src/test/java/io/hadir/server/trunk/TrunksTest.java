package io.hadir.server.trunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.server.events.PresenceSockets;
import io.hadir.server.wire.Texts;
import io.hadir.socketio.SocketServer;
import io.hadir.socketio.engine.TransportConfig;
import io.hadir.socketio.limit.SenderLimit;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;

class TrunksTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Trunks trunks = new Trunks(
            new SocketServer("n1", new TransportConfig(SECOND, SECOND, 1_000, 1_000, SECOND, SECOND), 0),
            "n1",
            1_000,
            SECOND,
            (process, epoch) -> CompletableFuture.completedFuture(epoch));

    private TrunkSocket open() {
        TrunkSocket socket = new TrunkSocket(
                new Trunk(trunks, new EmbeddedChannel()),
                1,
                trunks.newSocketId(),
                JsonNodeFactory.instance.missingNode(),
                new SenderLimit(0, 0));
        trunks.add(socket);
        return socket;
    }

    @Test
    void aSocketHearsNothingBeforeItIsAdmitted() {
        TrunkSocket socket = open();
        assertThat(trunks.socket(socket.id())).isNull();

        socket.connect("who it is");
        assertThat(trunks.socket(socket.id())).isSameAs(socket);
    }

    /** Its user's other sockets hear the message after it, from the same loop. */
    @Test
    void aMessageToASocketThatIsNotAdmittedYetDoesNotFail() {
        SocketId id = new SocketId(open().id());
        RoomId room = new RoomId("r");
        PresenceSettings settings = new PresenceSettings(SECOND, SECOND, SECOND, SECOND, SECOND, 10, 10);
        PresenceSockets clients = new PresenceSockets(List.of(trunks), settings, Texts.STANDARD);

        clients.send(id, new SocketMessage.Notification(room, new UserId("budi"), 1, null));
        clients.send(id, new SocketMessage.Unread(room, 1));
        clients.send(id, new SocketMessage.ForceLeave(room, RemovalReason.KICKED, null, SECOND, Instant.EPOCH));
    }
}
