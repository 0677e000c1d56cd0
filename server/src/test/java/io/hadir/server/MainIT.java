package io.hadir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class MainIT {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void helpGoesToStandardOutputAndExitsWithZero() {
        assertThat(run("serve", "--help", "--port=abc")).hasValue(0);
        assertThat(out()).startsWith("Usage: hadir").contains("--ttl-seconds", "HADIR_TTL_SECONDS");
        assertThat(err()).isEmpty();
    }

    @Test
    void versionIsOneLine() {
        assertThat(run("-V")).hasValue(0);
        assertThat(out().lines()).containsExactly("hadir " + Main.version());
    }

    @Test
    void badSettingsExitWithTwoAndPrintALineEach() {
        assertThat(run("--port=abc", "--nothing")).hasValue(2);
        assertThat(err().lines())
                .containsExactly(
                        "hadir: --nothing: unknown flag",
                        "hadir: --port: abc (expected: a whole number from 0 to 65535)");
        assertThat(out()).isEmpty();
    }

    @Test
    void aTakenPortExitsWithOneAndPrintsOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run("--port=" + taken.getLocalPort())).hasValue(1);
            assertThat(err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("hadir: cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": the port is taken");
        }
        assertThat(out()).isEmpty();
    }

    @Test
    void aBrokenPipeDoesNotFailTheHelp() {
        PrintStream broken = new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                },
                true,
                UTF_8);

        assertThat(Main.run(List.of("--help"), Map.of(), broken, broken)).hasValue(0);
    }

    private OptionalInt run(String... arguments) {
        return Main.run(
                List.of(arguments), Map.of(), new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    }

    private String out() {
        return out.toString(UTF_8);
    }

    private String err() {
        return err.toString(UTF_8);
    }
}
