package io.hadir.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class TableTest {
    @Test
    void columnsAreAlignedByDisplayedWidth() {
        assertThat(printed("200", Ansi.OFF, "漢字", "e\u0301x", "😀a"))
                .isEqualTo("NAME  N\n漢字  1\ne\u0301x    1\n😀a   1\n");
    }

    @Test
    void cellsThatDoNotFitTheTerminalAreCut() {
        assertThat(printed("20", Ansi.OFF, "a name that is longer than the terminal"))
                .isEqualTo("NAME               N\na name that is l…  1\n");
    }

    @Test
    void onlyATerminalGetsColours() {
        assertThat(printed("200", Ansi.ON, "a")).startsWith("\u001b[1mNAME  N\u001b[0m\n");
        assertThat(printed("200", Ansi.OFF, "a")).startsWith("NAME  N\n");
    }

    private static String printed(String columns, Ansi ansi, String... names) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, UTF_8);
        Table table = new Table("NAME", "N");
        for (String name : names) {
            table.add(name, "1");
        }
        table.print(new Terminal(stream, stream, Map.of("COLUMNS", columns), ansi, Clock.system(ZoneOffset.UTC)));
        return out.toString(UTF_8);
    }
}
