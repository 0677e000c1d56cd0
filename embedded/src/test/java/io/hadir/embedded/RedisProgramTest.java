package io.hadir.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisProgramTest {
    private final String before = System.getProperty(RedisProgram.PROPERTY, "");

    @TempDir
    Path folder;

    @AfterEach
    void restore() {
        System.setProperty(RedisProgram.PROPERTY, before);
    }

    @Test
    void everyBuildHasAProgramForEachPlatform() {
        assertThat(Stream.of("linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"))
                .allMatch(platform -> RedisProgram.class.getResource("/redis-server-7.0.15-" + platform) != null);
        assertThat(RedisProgram.platform("Linux", "amd64")).isEqualTo("linux-amd64");
        assertThat(RedisProgram.platform("Mac OS X", "aarch64")).isEqualTo("darwin-arm64");
        assertThat(RedisProgram.platform("Windows 11", "amd64")).isEmpty();
        assertThat(RedisProgram.platform("Linux", "riscv64")).isEmpty();
    }

    @Test
    void aNamedProgramIsLinkedAndNotCopied() throws IOException {
        Path program = program("my-redis", "Valkey server v=9.1.2 sha=0");
        System.setProperty(RedisProgram.PROPERTY, program.toString());
        Path unpacked = RedisProgram.unpack(Files.createDirectory(folder.resolve("run")));
        assertThat(Files.readSymbolicLink(unpacked)).isEqualTo(program);
    }

    @Test
    void aNamedProgramThatIsMissingIsAnError() {
        System.setProperty(RedisProgram.PROPERTY, folder.resolve("none").toString());
        assertThatThrownBy(() -> RedisProgram.unpack(folder))
                .hasMessageContaining("none")
                .hasMessageContaining("--redis-url");
    }

    @Test
    void takesAnInstalledProgramUnlessItIsTooOldOrNoServer() throws IOException {
        String path = folder.toString();
        assertThat(RedisProgram.installed(path)).isEmpty();
        program("redis-server", "Redis server v=6.2.6 sha=0");
        assertThat(RedisProgram.installed(path)).isEmpty();
        program("redis-server", "hello");
        assertThat(RedisProgram.installed(path)).isEmpty();
        Path redis = program("redis-server", "Redis server v=7.0.15 sha=0");
        assertThat(RedisProgram.installed("/nowhere::" + path)).contains(redis);
        Path valkey = program("valkey-server", "Valkey server v=8.1.1 sha=0");
        assertThat(RedisProgram.installed(path)).contains(valkey);
    }

    private Path program(String name, String says) throws IOException {
        Path program = folder.resolve(name);
        Files.writeString(program, "#!/bin/sh\necho '" + says + "'\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return program;
    }
}
