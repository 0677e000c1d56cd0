package io.hadir.server.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows under a heading. Columns are as wide as their cells, or narrower if the terminal is. */
final class Table {
    private static final String GAP = "  ";
    private static final int NARROWEST = 8;

    private final List<String> heading;
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... heading) {
        this.heading = List.of(heading);
    }

    /** Adds a row; its cells may be untrusted. */
    void add(String... cells) {
        List<String> row = new ArrayList<>();
        for (String cell : cells) {
            row.add(Text.visible(cell));
        }
        rows.add(row);
    }

    void print(Terminal terminal) {
        int[] widths = widths(terminal.columns());
        terminal.say(terminal.bold(line(heading, widths)));
        rows.forEach(row -> terminal.say(line(row, widths)));
    }

    private int[] widths(int columns) {
        int[] widths = new int[heading.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Text.width(heading.get(i));
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], Text.width(row.get(i)));
            }
        }
        int excess = GAP.length() * (widths.length - 1) - columns;
        for (int width : widths) {
            excess += width;
        }
        // Shrink the widest column first.
        while (excess > 0) {
            int widest = 0;
            for (int i = 1; i < widths.length; i++) {
                widest = widths[i] > widths[widest] ? i : widest;
            }
            if (widths[widest] <= NARROWEST) {
                break;
            }
            widths[widest]--;
            excess--;
        }
        return widths;
    }

    private static String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            boolean last = i == widths.length - 1;
            line.append(last ? Text.cut(cells.get(i), widths[i]) : Text.fitted(cells.get(i), widths[i]) + GAP);
        }
        return line.toString().stripTrailing();
    }
}
