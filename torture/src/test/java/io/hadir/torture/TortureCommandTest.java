package io.hadir.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class TortureCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void thePlanFollowsFromTheSeed() {
        assertThat(run("--plan", "--seed=7", "--minutes=2")).isZero();
        String plan = out.toString(UTF_8);
        out.reset();

        assertThat(run("--plan", "--seed=7", "--minutes=2")).isZero();
        assertThat(plan).isEqualTo(out.toString(UTF_8)).contains("of a server");
    }

    @Test
    void aBadOptionIsReportedInOneLine() {
        assertThat(run("--minutes=0.1")).isEqualTo(2);
        assertThat(run("--nodes=0")).isEqualTo(2);
        assertThat(run("--clients=x")).isEqualTo(2);

        assertThat(err.toString(UTF_8).lines())
                .hasSize(3)
                .anySatisfy(line -> assertThat(line).isEqualTo("hadir: --nodes=0 (expected: from 1 to 9)"));
    }

    @Test
    void onlyInjectsTheNamedFaults() {
        assertThat(run("--plan", "--seed=7", "--only=node-kill,key-deleted")).isZero();
        assertThat(out.toString(UTF_8).lines())
                .isNotEmpty()
                .allMatch(line -> line.contains("kill -9 of a server") || line.contains("deleted by hand"));

        assertThat(run("--plan", "--only=node-kill,rain")).isEqualTo(2);
        assertThat(err.toString(UTF_8)).startsWith("hadir: --only=").contains("rain", "(expected: some of node-kill, ");
    }

    private int run(String... arguments) {
        return TortureCommand.run(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), arguments);
    }
}
