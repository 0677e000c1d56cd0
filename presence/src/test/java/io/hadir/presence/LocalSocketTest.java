package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LocalSocketTest {
    @Test
    void absencesAreRecordedForTwiceTheRoomsASocketMayBeIn() {
        TestLoop loop = new TestLoop();
        StepQueue queue = new StepQueue(loop, new Answers(loop), () -> {});
        LocalSocket socket = new LocalSocket(new SocketId("n.s"), null, room -> true, 25, queue);
        for (int i = 0; i < 1000; i++) {
            socket.recordAbsence(new RoomId("r" + i));
            socket.recordAbsence(new RoomId("r980"));
        }
        assertThat(socket.knowsAbsence(new RoomId("r999"))).isTrue();
        assertThat(socket.knowsAbsence(new RoomId("r980"))).isTrue();
        assertThat(IntStream.range(0, 1000).filter(i -> socket.knowsAbsence(new RoomId("r" + i))))
                .hasSize(50);
    }
}
