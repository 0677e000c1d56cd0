package io.hadir.socketio.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.Logs;
import io.hadir.testing.NoLeaks;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.jupiter.api.Test;

class NoLeaksTest {
    @Test
    void aLeakedBufferIsDetected() {
        Level before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(Level.PARANOID);
        try (Logs logs = Logs.listen()) {
            ByteBufAllocator.DEFAULT.directBuffer(16).writeByte(1);
            await().untilAsserted(() -> assertThat(NoLeaks.leaks(logs)).isNotEmpty());
        } finally {
            ResourceLeakDetector.setLevel(before);
        }
    }
}
