package io.hadir.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Makes Netty track every buffer while a test class runs, and fails the class if one leaks. */
public final class NoLeaks implements BeforeAllCallback, AfterAllCallback {
    private Level before = Level.DISABLED;
    private Logs logs = Logs.listen();

    @Override
    public void beforeAll(ExtensionContext context) {
        before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(Level.PARANOID);
        leaks(logs);
        logs.close();
        logs = Logs.listen();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        try {
            assertThat(leaks(logs)).as("leaked buffers").isEmpty();
        } finally {
            logs.close();
            ResourceLeakDetector.setLevel(before);
        }
    }

    /** The leaks since the last call: buffers that were collected before they were released. */
    @SuppressWarnings("SystemRunFinalization")
    public static List<String> leaks(Logs logs) {
        System.gc();
        for (int i = 0; i < 100; i++) {
            // Netty looks for collected buffers whenever it allocates one.
            ByteBuf buffer = ByteBufAllocator.DEFAULT.directBuffer(16);
            buffer.release();
        }
        return logs.all().stream().filter(line -> line.contains("LEAK:")).toList();
    }
}
