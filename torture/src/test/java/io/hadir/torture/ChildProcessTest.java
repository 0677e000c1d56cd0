package io.hadir.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
    @Test
    void itsOutputGoesToTheFile(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("log");
        ChildProcess child = ChildProcess.start(log, List.of("echo", "here I am"));

        assertThat(child.awaitEnd()).isTrue();
        assertThat(Files.readString(log)).isEqualTo("here I am\n");
    }

    @Test
    void itEndsWithItsParentEvenIfItIsFrozen(@TempDir Path folder) throws Exception {
        ChildProcess child = ChildProcess.start(folder.resolve("log"), List.of("sleep", "1000"));
        ProcessHandle process = ProcessHandle.of(child.pid()).orElseThrow();
        child.signal("STOP");

        child.close();
        await().until(() -> !process.isAlive());
    }

    @Test
    void aKilledProcessIsNotAlive(@TempDir Path folder) throws Exception {
        ChildProcess child = ChildProcess.start(folder.resolve("log"), List.of("sleep", "1000"));

        child.kill();
        assertThat(child.isAlive()).isFalse();
        child.close();
    }
}
